"""Loads rows of the database into arrays. The only package of rankings that knows both."""

from rankings.loading.candidates import CandidateTable, StrayAnswer, candidate_table, subset_names, text_lengths
from rankings.loading.human_judgments import People, campaign_votes, held_out_votes, human_scores, people_of, ratings_of
from rankings.loading.run_answers import ANSWER, COMPARISON, OUTCOMES, Answers, answers_of
