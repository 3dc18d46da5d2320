"""Import of a dataset from any door: page, API or command."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from secrets import token_hex
from typing import Any

from evenhand.file_problems import InvalidFile
from evenhand.formats import MAX_FILE_BYTES, DatasetRecord, SourceFile, TableMapping, hash_files, total_size
from evenhand.options import Option, options_of, read_options, values_for
from evenhand.refusals import Refused
from judging.models import Dataset, User
from judging.services.datasets.dataset_changes import other_researchers, share_dataset
from judging.services.datasets.dataset_import import dataset_name_problems, import_dataset, import_warnings
from judging.services.datasets.table_mappings import choose_mapping, describe_reading, read_named
from judging.services.names import seen_by
from judging.web.options import Offered, find_rows

DATASET_OPTIONS = tuple(
    option for function in (import_dataset, choose_mapping, read_named) for option in options_of(function)
)
DRY_RUN_OPTIONS = tuple(replace(one, default="") if one.name == "name" else one for one in DATASET_OPTIONS)
SHARING_OPTIONS = options_of(share_dataset)


@dataclass(frozen=True, slots=True)
class Imported:
    """A dataset just stored. warnings: data that is allowed, but may be a mistake."""

    dataset: Dataset
    warnings: Sequence[str]


def dataset_settings(
    values: Mapping[str, Any], *, owner: User | None, user: User | None, options: Iterable[Option] = DATASET_OPTIONS
) -> dict[str, Any]:
    """Return the options as the operations take them. user: None for the shell. Raises Refused with every problem."""
    options = tuple(options)
    read = read_options(options, values)
    datasets = Offered(seen_by(user, Dataset), user=user)
    researchers = Offered(other_researchers(owner), " besides its owner")
    return read | find_rows(options, read, {"dataset": datasets, "researcher": researchers})


def import_files(
    files: Sequence[SourceFile],
    values: Mapping[str, Any],
    *,
    owner: User | None,
    user: User | None,
    max_bytes: int = MAX_FILE_BYTES,
) -> Imported:
    """Read and store a dataset. Raises Refused with the problems of its name together with those of the files."""
    chosen = dataset_settings(values, owner=owner, user=user)
    try:
        record = _read(files, chosen, max_bytes)
    except (InvalidFile, Refused) as invalid:
        raise Refused(*dataset_name_problems(chosen["name"], owner), *map(str, invalid.problems)) from invalid
    dataset = import_dataset(record, hash_files(files), owner, total_size(files), **values_for(import_dataset, chosen))
    return Imported(dataset, [*_guess(record, chosen), *import_warnings(record)])


def describe_files(
    files: Sequence[SourceFile],
    values: Mapping[str, Any],
    *,
    owner: User | None,
    user: User | None,
    max_bytes: int = MAX_FILE_BYTES,
) -> dict[str, Any]:
    """Describe what would be read, with guessed columns if need be. Stores nothing. Raises InvalidFile or Refused."""
    chosen = dataset_settings(values, owner=owner, user=user, options=DRY_RUN_OPTIONS)
    return describe_reading(_read(files, chosen, max_bytes, is_dry_run=True))


def try_files(files: Sequence[SourceFile]) -> Dataset:
    """Store files under a name that nobody has, with guessed columns if need be. Raises InvalidFile or Refused."""
    record = _read(
        files, dataset_settings({}, owner=None, user=None, options=DRY_RUN_OPTIONS), MAX_FILE_BYTES, is_dry_run=True
    )
    return import_dataset(record, hash_files(files), name=token_hex())


def _read(
    files: Sequence[SourceFile], chosen: Mapping[str, Any], max_bytes: int, *, is_dry_run: bool = False
) -> DatasetRecord:
    mapping = choose_mapping(files, **values_for(choose_mapping, chosen))
    return read_named(files, mapping, max_bytes, is_dry_run, **values_for(read_named, chosen))


def _guess(record: DatasetRecord, chosen: Mapping[str, Any]) -> list[str]:
    """Return the note that the columns were guessed, if a layout was given alone."""
    if not (chosen["layout"] and record.mapping) or chosen["map"]:
        return []
    guessed = TableMapping.from_json(record.mapping).options()
    return [f"columns guessed from their names and values; all others are ignored: {guessed}"]
