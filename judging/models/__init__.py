"""The tables. Whoever needs a model imports it from here."""

from judging.models.audits import ExplanationMark
from judging.models.campaigns import Assignment, Campaign, CampaignPair, Participation, SkipReason
from judging.models.chunks import Chunk, Hold
from judging.models.datasets import Attribute, Candidate, Context, Dataset, HumanScore
from judging.models.forecasts import ForecastRequest
from judging.models.judges import Judge, Prompt
from judging.models.reasonings import ContextMetrics, Reasoning
from judging.models.runs import ACTIVE, Comparison, Outcome, Run, Score
from judging.models.users import ADMIN, ANNOTATOR, RESEARCHER, ROLES, User
from judging.models.votes import Choice, Vote
