"""Loads human scores, votes and ratings."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import Case, IntegerField, QuerySet, When

from evenhand.numerics import Comparisons, HumanScores, Votes
from evenhand.numerics.arrays import BoolArray, FloatArray, counts, sums
from judging.models import Attribute, Campaign, HumanScore, Purpose, Vote
from judging.models.comparisons import P_FIRST_OF_CHOICE
from rankings.bulk_reading import number_rows
from rankings.loading.candidates import CandidateTable, at_candidates, chosen_values, columns_of, numbered, of_table

HUMAN_SCORE = np.dtype([("candidate", np.int64), ("value", np.float64), ("is_rating", np.int64)])
IS_RATING = Case(When(rater="", then=0), default=1, output_field=IntegerField())
"""In SQL, 1 for the rating of one person, 0 for the score of the dataset."""


@dataclass(frozen=True, slots=True)
class People:
    """Human scores and votes for one attribute.

    raters: names, indexed by the rater numbers of the votes.
    in_second_round: bool, (n_votes,). True for votes on pairs that were disputed in a first round.
    """

    human: HumanScores
    votes: Votes
    raters: Sequence[str]
    in_second_round: BoolArray

    @property
    def first_round(self) -> Votes:
        """Return the votes without second rounds, for figures of single votes. Their pairs are all disputed ones."""
        if not self.in_second_round.any():
            return self.votes
        first = ~self.in_second_round
        return self.votes.once(("first_round", first.tobytes()), lambda: self.votes.select(first))

    def of_first_round(self) -> "People":
        """Return the people with their votes of first rounds. People without one are left out."""
        if not self.in_second_round.any():
            return self
        votes = self.first_round
        numbers, raters = np.unique(votes.raters, return_inverse=True)
        names = [self.raters[number] for number in numbers.tolist()]
        return People(self.human, Votes(votes.comparisons, raters), names, np.zeros(len(votes), dtype=bool))


def people_of(table: CandidateTable, attribute: Attribute) -> People:
    """Load all human scores and the votes that count in figures, imported or given here, in two queries."""
    human = HumanScores(human_scores(table, attribute), table.contexts, table.system_numbers)
    return People(human, *_load_votes(table, Vote.objects.in_figures().filter(attribute=attribute)))


def held_out_votes(table: CandidateTable, attribute: Attribute) -> Votes:
    """Load the votes in figures on pairs that campaigns drew at random."""
    rows = Vote.objects.in_figures().filter(attribute=attribute, purpose=Purpose.HELD_OUT)
    return _load_votes(table, rows)[0]


def campaign_votes(table: CandidateTable, campaign: Campaign, attribute: Attribute) -> Votes:
    """Load the votes of a campaign on an attribute that count in figures."""
    rows = Vote.objects.in_figures().filter(assignment__campaign=campaign, attribute=attribute)
    return _load_votes(table, rows)[0]


def _load_votes(table: CandidateTable, rows: QuerySet[Vote]) -> tuple[Votes, Sequence[str], BoolArray]:
    """Return votes, the names of their raters by number, and True for votes of a second round."""
    names = ("first", "second", "choice", "rater", "purpose")
    columns = columns_of(rows.order_by("pk").values_list(*names), len(names))
    chosen = np.flatnonzero(table.has(*columns[:2]))
    first, second, choices, raters, purposes = (chosen_values(column, chosen) for column in columns)
    number_of = numbered(raters)
    answers = np.array([P_FIRST_OF_CHOICE[choice] for choice in choices], dtype=np.float64)
    votes = Votes(
        Comparisons(len(table), table.numbers(first), table.numbers(second), answers, table.starts),
        np.array([number_of[rater] for rater in raters], dtype=np.intp),
    )
    is_second = np.array([purpose == Purpose.SECOND_ROUND for purpose in purposes], dtype=bool)
    return votes, list(number_of), is_second


def human_scores(table: CandidateTable, attribute: Attribute) -> FloatArray:
    """Return the score of each candidate, (n_candidates,): the dataset's own, else its mean rating, else NaN."""
    counted = HumanScore.objects.in_figures().filter(attribute=attribute)
    rows = number_rows(counted, HUMAN_SCORE, "candidate", "value", IS_RATING)
    rows = rows[table.has(rows["candidate"])]
    members, scores, rated = table.numbers(rows["candidate"]), rows["value"], rows["is_rating"] > 0
    ratings = counts(members[rated], len(table))
    means = sums(members[rated], scores[rated], len(table)) / np.where(ratings > 0, ratings, np.nan)
    own = at_candidates(table, members[~rated], scores[~rated])
    return np.where(np.isnan(own), means, own)


def ratings_of(table: CandidateTable, attribute: Attribute) -> FloatArray:
    """Load the ratings that count in figures, (n_raters, n_candidates), NaN where missing, in one query."""
    counted = HumanScore.objects.in_figures().filter(attribute=attribute).exclude(rater="")
    rows = counted.values_list("candidate", "rater", "value")
    candidates, raters, values = of_table(table, columns_of(rows, 3))
    row_of = numbered(sorted(raters))
    ratings = np.full((len(row_of), len(table)), np.nan)
    ratings[[row_of[rater] for rater in raters], table.numbers(candidates)] = values
    return ratings
