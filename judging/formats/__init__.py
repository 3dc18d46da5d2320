"""Readers that turn uploaded files into records, or list every problem. Pure: no Django."""

from judging.formats.checked_rows import CheckedRow, clean_name
from judging.formats.datasets.dataset_reading import UnknownTable, read_dataset
from judging.formats.datasets.evenhand_writer import make_context_line, write_dataset
from judging.formats.datasets.registry import DATASET_FORMATS, DatasetFormat
from judging.formats.mappings.choice_guessing import guess_meanings, list_choices
from judging.formats.mappings.column_values import ColumnValues
from judging.formats.mappings.first_table import (
    find_unreadable_lines,
    guess_dataset_mapping,
    preview_dataset_rows,
    sample_dataset_columns,
)
from judging.formats.mappings.row_preview import RowPreview
from judging.formats.mappings.table_layouts import (
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
from judging.formats.mappings.table_mapping import (
    TableMapping,
    is_number,
    missing_fields,
    number_columns,
    option_of,
    parse_mapping,
    scores_without_system,
    split_field,
)
from judging.formats.recorded.comparisons import read_comparisons
from judging.formats.recorded.recorded_table import first_row_names_judge, guess_columns
from judging.formats.recorded.replies import ReadReply, read_replies
from judging.formats.recorded.scores import read_ratings, read_scores
from judging.formats.recorded.votes import read_votes
from judging.formats.records import (
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
from judging.formats.source_files import MAX_FILE_BYTES, SourceFile, hash_files
from judging.formats.tables.archives import is_table_name
from judging.formats.temporary_database import DiskDictionary, StoreIsFull
