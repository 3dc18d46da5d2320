"""The tables. Whoever needs a model imports it from here."""

from judging.models.datasets import Attribute, Candidate, Context, Dataset, HumanScore
from judging.models.judges import Judge, Prompt
from judging.models.runs import Chunk, Comparison, Outcome, Reasoning, Run, Score
from judging.models.users import ADMIN, ANNOTATOR, RESEARCHER, ROLES, User
from judging.models.votes import Assignment, Campaign, CampaignPair, Choice, Vote
