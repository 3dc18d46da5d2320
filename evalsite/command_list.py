"""The commands that `evenhand --help` lists, without loading any of them."""

import re
from collections.abc import Mapping
from pathlib import Path

_FILES = sorted(Path(__file__).parents[1].glob("rankings/*/*_page.py"))
_FIRST_LINE = re.compile(r'"""`(\w+)`: (.+)\."""')

PAGES = {f"rankings.{file.parent.name}.{file.stem}": file for file in _FILES}
"""Module -> file of each page that is built from figures: here the records of analyses are found."""


def _commands_of_pages() -> dict[str, tuple[str, str]]:
    """Return command -> module and summary of each page whose first line says what its command does."""
    firsts = {module: _FIRST_LINE.match(file.read_text(encoding="utf-8")) for module, file in PAGES.items()}
    return {first[1]: (module, first[2]) for module, first in firsts.items() if first}


COMMANDS_OF_PAGES = _commands_of_pages()
COMMANDS: Mapping[str, Mapping[str, str]] = {
    "data": {
        "import_dataset": "store a dataset",
        "export_dataset": "write a dataset as JSON Lines",
        "import_comparisons": "store comparisons that a judge made elsewhere",
        "import_scores": "store scores that a metric or judge gave elsewhere",
        "split_dataset": "split contexts into development and test",
        "import_votes": "store votes that people gave elsewhere",
        "import_ratings": "store ratings that people gave elsewhere",
        "exclude_votes": "leave a person's votes out of figures, or take them back in",
        "export_votes": "write the votes of a dataset to a file",
        "export_ratings": "write the ratings of a dataset to a file",
        "export_comparisons": "write the comparisons or scores of a run to a file",
        "publish": "write a dataset and judgments as a package to publish",
    },
    "judges": {
        "add_judge": "add a model, an endpoint or a metric as a judge",
        "judges": "list the judges",
        "prompts": "list the prompts",
        "add_prompt": "add a prompt, or a new version of one",
    },
    "runs": {
        "judge": "judge a dataset",
        "robustness": "judge again with a sentence added to one text of each pair",
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
        "verify_report": "make a frozen report again and list what differs",
        "validate": "how often checks speak of planted faults, and of fair judges",
        "compare": "differences between runs, with significance tests",
        "methods": "a methods paragraph and BibTeX for a paper",
        **{name: summary for name, (_, summary) in sorted(COMMANDS_OF_PAGES.items())},
    },
    "people": {
        "campaigns": "list the campaigns",
        "new_campaign": "create a campaign on one attribute or more",
        "change_campaign": "open, pause or close a campaign, or ask for more votes",
        "accounts": "list the accounts",
        "add_account": "create an account",
        "change_account": "change roles and state of an account, or make a password link",
    },
    "serve": {
        "demo": "try Evenhand on this machine",
        "serve": "start the web server",
        "worker": "start a worker, which judges runs",
        "activity": "who imported, shared, changed, deleted or downloaded what",
        "doctor": "check settings, database, broker, workers, GPU, disk, mail and clocks",
        "backup": "write everything that this installation holds into one file",
        "restore": "bring back what a backup holds",
        "install_judge": "install what local models and metrics need, or a small real LLM",
    },
}
"""Group of commands → name → what the command does, in one line."""
