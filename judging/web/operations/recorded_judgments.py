"""The options of recorded judgments, for API and command."""

from collections.abc import Iterable, Mapping
from typing import Any

from evenhand.formats import REPLY_COLUMNS
from evenhand.options import Option, options_of, read_options
from evenhand.prompting.named_verdicts import NAMED_VERDICTS
from judging.models import Dataset, User
from judging.services.datasets.recorded.judgment_files import JUDGMENT_KINDS
from judging.services.datasets.recorded.judgment_mappings import choose_judgment_mapping
from judging.services.names import seen_by
from judging.web.options import Offered, find_rows

_JUDGE = Option(
    "Name of the judge in reports, needed if the files name none; of files that name several, only this one is read.",
    name="judge",
    longest=200,
    default="",
)
VERDICT_PATTERN = Option(
    "Read the answers from the judge's whole replies, in the column reply, by a prompt with a verdict or one of: "
    f"{', '.join(NAMED_VERDICTS)}.",
    name="verdict_pattern",
    default="",
)
MAPPING_OPTIONS = options_of(choose_judgment_mapping)
JUDGMENT_OPTIONS = (_JUDGE, *MAPPING_OPTIONS, VERDICT_PATTERN)


def options_of_kind(noun: str) -> list[Option]:
    """Return the options of one kind of judgments. noun: a key of JUDGMENT_KINDS."""
    kind = JUDGMENT_KINDS[noun]
    left_out = {
        "judge": not kind.needs_judge,
        "choice": not kind.columns.meanings,
        "verdict_pattern": noun not in REPLY_COLUMNS,
    }
    return [one for one in JUDGMENT_OPTIONS if not left_out.get(one.name)]


def judgment_settings(options: Iterable[Option], values: Mapping[str, Any], *, user: User | None) -> dict[str, Any]:
    """Return the options with the dataset whose mapping is used again. user: None for the shell. Raises Refused."""
    options = tuple(options)
    read = read_options(options, values)
    return read | find_rows(options, read, {"dataset": Offered(seen_by(user, Dataset), user=user)})
