"""The tables. Import models from here."""

from judging.models.activity_and_looks import Act, Activity, Look
from judging.models.answered_requests import AnsweredRequest
from judging.models.chunks_and_workers import AnswerCount, Chunk, Lease, Worker
from judging.models.comparisons import AnswerProblem, AuditMark, Comparison, Outcome, Score
from judging.models.datasets import Attribute, Candidate, Context, Dataset, HumanScore, Visibility
from judging.models.endpoints import EndpointBatch, EndpointUse
from judging.models.exclusions import NOTHING_LEFT_OUT, Exclusion
from judging.models.judges import Judge, Prompt
from judging.models.labelling.answer_events import AnswerEvent
from judging.models.labelling.assignments import CHECK_PURPOSES, Assignment, Purpose, SkipReason
from judging.models.labelling.campaign_attributes import CampaignAttribute
from judging.models.labelling.campaign_pairs import CampaignPair, PairAnswer, PairDecision
from judging.models.labelling.campaign_states import CampaignKind, CampaignState, TextFormat
from judging.models.labelling.campaigns import Campaign
from judging.models.labelling.guidelines import GuidelinesText
from judging.models.labelling.participations import Participation
from judging.models.labelling.vote_exclusions import VoteExclusion
from judging.models.labelling.votes import Choice, ReadingAid, Undecided, Vote
from judging.models.people.invitations import Enrolment, Invitation
from judging.models.people.training_and_consent import Consent, ConsentText, TrainingAnswer, TrainingPair
from judging.models.reasonings import Criteria, Reasoning
from judging.models.run_events import RunEvent
from judging.models.runs import ACTIVE_STATUSES, Run
from judging.models.studies_and_reports import FrozenReport, Study, StudyRun
from judging.models.users import ADMIN, ANNOTATOR, RESEARCHER, ROLES, ApiToken, User
