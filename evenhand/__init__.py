"""Human and LLM judges of generated text, side by side. `Judgments` needs numpy and scipy alone."""

from evenhand.judgments import BudgetFigure, CandidateScore, Judgments, expert_scores
from evenhand.numerics.exceptions import InvalidComparisons, NotConnected, Undefined, UnknownRanking, UnknownSelection
from evenhand.numerics.figure import Figure
