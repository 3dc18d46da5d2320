"""The results pages of a run and of a dataset, and their downloads."""

from rankings.report.views.downloads import dataset_long, dataset_report, dataset_table, run_long, run_report, run_table
from rankings.report.views.run_pages import (
    dataset_results,
    run_first_probabilities,
    run_headline,
    run_headline_link,
    run_results,
)
