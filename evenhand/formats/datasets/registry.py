"""The dataset formats. `dataset_reading` reads files of any of them.

To add a format: write one module in this folder, and add one record to DATASET_FORMATS.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from evenhand.file_problems import ProblemLog
from evenhand.formats.checked_rows import FileRows
from evenhand.formats.datasets.candidates_csv import CANDIDATES_CSV_KEYS, read_candidates_csv
from evenhand.formats.datasets.evenhand import EVENHAND_KEYS, read_evenhand, starts_with_evenhand_header
from evenhand.formats.datasets.hanna import HANNA_KEYS, read_hanna, read_hanna_as_one_context
from evenhand.formats.datasets.known_tables import KNOWN_TABLES, KnownTable
from evenhand.formats.datasets.llmbar import LLMBAR_KEYS, read_llmbar
from evenhand.formats.datasets.mt_bench import MT_BENCH_KEYS, read_mt_bench
from evenhand.formats.datasets.scored_outputs import (
    SUMMEVAL_KEYS,
    UNIEVAL_KEYS,
    WEBNLG_KEYS,
    read_summeval,
    read_unieval,
    read_webnlg,
)
from evenhand.formats.mappings.mapping_guess import guess_mapping
from evenhand.formats.mappings.reading_by_mapping import list_columns, read_mapped
from evenhand.formats.mappings.table_mapping import find_mapping_problems
from evenhand.formats.records import DatasetRecord

BATTLES = "battles"  # recognised by the guess of its columns, after all others


@dataclass(frozen=True, slots=True)
class DatasetFormat:
    """A file format of datasets.

    name: the value of `--format`; stored with the dataset.
    title: the name for people.
    file_type: "JSON" and "JSON Lines" are read in the same way.
    keys: the JSON keys or CSV columns by which a file is recognised. More than half of them must be there.
    needs_all_keys: True if all keys must be there. A file without one of them is read by a mapping.
    is_detected: False for another reading of the same files as a format above, which only its name chooses.
    read: turns the rows of all files into a dataset, and logs every problem.
    source: the paper that published the format, a key of rankings/citations/references.bib; empty for our own formats.
    has_signature: returns True for files that are certainly in this format; None to look at the keys only.
    """

    name: str
    title: str
    file_type: Literal["CSV", "JSON", "JSON Lines", "any table"]
    keys: tuple[str, ...]
    read: Callable[[Sequence[FileRows], ProblemLog], DatasetRecord]
    source: str = ""
    has_signature: Callable[[FileRows], bool] | None = None
    needs_all_keys: bool = False
    is_detected: bool = True

    @property
    def is_table(self) -> bool | None:
        """True for CSV, False for JSON, None for a table in any kind of file."""
        return None if self.file_type == "any table" else self.file_type == "CSV"

    def share_of_keys(self, columns: Sequence[str]) -> float:
        """Return the share of the format's keys that are among these columns, from 0 to 1."""
        return sum(key in columns for key in self.keys) / max(len(self.keys), 1)

    def has_keys(self, columns: Sequence[str]) -> bool:
        """Return True if enough of the format's keys are among these columns."""
        share = self.share_of_keys(columns)
        return share == 1 if self.needs_all_keys else share > 1 / 2

    def fit(self, columns: Sequence[str]) -> tuple[float, int]:
        """Return a number that is larger for a better fit. Any table loses to a reader that finds 3/4 of its keys."""
        share = self.share_of_keys(columns)
        return share if self.is_table is not None else 0.7 * share, len(self.keys)


def _format_of_table(table: KnownTable) -> DatasetFormat:
    """Return the format of a public table that a mapping reads."""

    def read(files: Sequence[FileRows], log: ProblemLog) -> DatasetRecord:
        columns = list_columns(files)
        return read_mapped(files, log, table.mapping.without(table.optional, columns))

    return DatasetFormat(
        table.name, table.title, "any table", table.keys, read, source=table.source, needs_all_keys=True
    )


def _read_battles(files: Sequence[FileRows], log: ProblemLog) -> DatasetRecord:
    """Read battles without texts by the guessed mapping of their columns, which is kept with the dataset."""
    if not files:  # the only one cannot be read, which is logged
        return DatasetRecord()
    mapping = guess_mapping(files, "pairs")
    for problem in find_mapping_problems(mapping):
        log.add(files[0].name, 1, problem.field, problem.value, problem.expected)
    return replace(read_mapped(files, log, mapping), mapping=mapping.to_json())


_FORMATS = (
    DatasetFormat(
        "evenhand", "Evenhand", "JSON Lines", EVENHAND_KEYS, read_evenhand, has_signature=starts_with_evenhand_header
    ),
    DatasetFormat(
        "csv", "One candidate per line", "CSV", CANDIDATES_CSV_KEYS, read_candidates_csv, needs_all_keys=True
    ),
    DatasetFormat("llmbar", "LLMBar", "JSON", LLMBAR_KEYS, read_llmbar, "Zeng2024"),
    DatasetFormat("unieval", "UniEval", "JSON", UNIEVAL_KEYS, read_unieval, "Zhong2022"),
    DatasetFormat("summeval", "SummEval", "JSON Lines", SUMMEVAL_KEYS, read_summeval, "Fabbri2021"),
    DatasetFormat("webnlg", "WebNLG", "CSV", WEBNLG_KEYS, read_webnlg, "Gardent2017"),
    DatasetFormat("hanna", "HANNA", "CSV", HANNA_KEYS, read_hanna, "Chhun2022"),
    DatasetFormat(
        "hanna-one-context",
        "HANNA, all stories in one context",
        "CSV",
        HANNA_KEYS,
        read_hanna_as_one_context,
        "Chhun2022",
        is_detected=False,
    ),
    DatasetFormat("mt-bench", "MT-Bench human judgments", "JSON Lines", MT_BENCH_KEYS, read_mt_bench, "Zheng2023"),
    *map(_format_of_table, KNOWN_TABLES),
    DatasetFormat(BATTLES, "Battles without texts", "any table", (), _read_battles),
)
DATASET_FORMATS: Mapping[str, DatasetFormat] = MappingProxyType({known.name: known for known in _FORMATS})
