"""The commands that `evenhand --help` lists, without loading any of them."""

from collections.abc import Mapping

COMMANDS: Mapping[str, Mapping[str, str]] = {
    "data": {
        "import_dataset": "store a dataset",
        "export_dataset": "write a dataset as JSON Lines",
        "import_comparisons": "store comparisons that a judge made elsewhere",
        "import_scores": "store scores that a metric or judge gave elsewhere",
        "import_votes": "store votes that people gave elsewhere",
        "import_ratings": "store ratings that people gave elsewhere",
        "check_people": "check annotators by gold pairs and repeats",
        "exclude_votes": "leave a person's votes out of figures, or take them back in",
        "export_votes": "write the votes of a dataset to a file",
        "export_comparisons": "write the comparisons or scores of a run to a file",
        "publish": "write a dataset and judgments as a package to publish",
    },
    "judges": {
        "add_judge": "add a model, an endpoint or a metric as a judge",
        "judges": "list the judges",
        "try_judge": "ask a judge about one pair",
        "rename_judge": "give a judge another name",
        "retire_judge": "take a judge out of use",
        "prompts": "list the prompts",
        "add_prompt": "add a prompt, or a new version of one",
    },
    "runs": {
        "judge": "judge a dataset",
        "plan_study": "plan, estimate and start the runs of a study",
        "abstain": "find where a judge should abstain",
        "jury": "make a run from the answers of other runs",
        "runs": "list the runs",
        "cancel": "stop a run and keep its answers",
        "resume": "continue a run that stopped, or ask its errors again",
    },
    "results": {
        "report": "agreement with people and position bias of each run",
        "study": "one figure of the runs of a study, by rows and columns",
        "freeze": "write tables of a study as one HTML file with a certificate",
        "verify_report": "compute a frozen report again and list what differs",
        "scores": "scores and ranks of the candidates of a run",
        "curve": "agreement with people against the number of comparisons",
        "stopping": "what stopping when sure saves a run, and what it costs",
        "agreement": "agreement between people, and of judges with people",
        "plan_votes": "how many votes a wanted interval needs",
        "quality": "how carefully each person voted",
        "repeatability": "how often judges change their decisions when asked again",
        "compare": "differences between runs, with significance tests",
        "replaced": "is a new judge better, the same or worse, by a margin",
        "diagnostics": "calibration, consistency and reliability of a run",
        "methods": "a methods paragraph and BibTeX for a paper",
        "audit": "people's marks on a judge's explanations",
    },
    "people": {
        "campaigns": "list the campaigns",
        "change_campaign": "open, pause or close a campaign, or set its deadline",
        "accounts": "list the accounts",
        "add_account": "create an account",
        "change_account": "change roles and state of an account, or make a password link",
    },
    "serve": {
        "demo": "try Evenhand on this machine",
        "serve": "start the web server",
        "worker": "start a worker, which judges runs",
        "install_judge": "install what local models and metrics need",
    },
}
"""Group of commands → name → what the command does, in one line."""
