"""Readers that turn uploaded files into records, or list every problem. Pure: no Django."""

from evenhand.formats.checked_rows import CheckedRow, clean_name
from evenhand.formats.datasets.dataset_reading import UnknownTable, read_dataset
from evenhand.formats.datasets.evenhand_writer import make_context_line, write_dataset
from evenhand.formats.datasets.registry import DATASET_FORMATS, DatasetFormat
from evenhand.formats.mappings.choice_guessing import guess_meanings, list_choices
from evenhand.formats.mappings.column_values import ColumnValues
from evenhand.formats.mappings.first_table import (
    find_unreadable_lines,
    guess_dataset_mapping,
    preview_dataset_rows,
    sample_dataset_columns,
)
from evenhand.formats.mappings.row_preview import RowPreview
from evenhand.formats.mappings.table_layouts import (
    DATASET_LAYOUTS,
    LAYOUTS,
    LOG_LAYOUTS,
    MEANINGS,
    RECORDED_COMPARISON_COLUMNS,
    RECORDED_LAYOUTS,
    RECORDED_RATING_COLUMNS,
    RECORDED_SCORE_COLUMNS,
    RECORDED_VOTE_COLUMNS,
    REPLY_COLUMNS,
    RecordedColumns,
)
from evenhand.formats.mappings.table_mapping import (
    TableMapping,
    is_number,
    missing_fields,
    number_columns,
    option_of,
    parse_mapping,
    scores_without_system,
    split_field,
)
from evenhand.formats.recorded.judgments import ReadReply, read_comparisons, read_ratings, read_replies, read_scores
from evenhand.formats.recorded.recorded_table import first_row_names_judge, guess_columns
from evenhand.formats.recorded.votes import read_votes
from evenhand.formats.records import (
    AttributeRecord,
    CandidateRecord,
    ComparisonRecord,
    ContextRecord,
    DatasetRecord,
    RatingRecord,
    RecordedChoice,
    RecordedVote,
    ScoreRecord,
    VoteChoice,
    VoteRecord,
)
from evenhand.formats.source_files import MAX_FILE_BYTES, SourceFile, hash_files, total_size
from evenhand.formats.tables.archives import is_table_name
from evenhand.formats.temporary_database import DiskDictionary, StoreIsFull
