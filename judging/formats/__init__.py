"""Readers that turn uploaded files into records, or list every problem. Pure: no Django."""

from judging.formats.checked_rows import CheckedRow
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
from judging.formats.mappings.table_mapping import (
    LAYOUT_FIELDS,
    LOG_FIELDS,
    MEANINGS,
    RECORDED_FIELDS,
    RECORDED_MEANINGS,
    TableMapping,
    fields_of,
    is_number,
    meanings_of,
    missing_fields,
    number_columns,
    option_of,
    parse_mapping,
    scores_without_system,
)
from judging.formats.recorded.comparisons import RECORDED_COMPARISON_COLUMNS, read_comparisons
from judging.formats.recorded.ratings import RECORDED_RATING_COLUMNS, read_ratings
from judging.formats.recorded.recorded_table import RecordedColumns, first_row_names_judge, guess_columns
from judging.formats.recorded.replies import REPLY_COLUMNS, ReadReply, read_replies
from judging.formats.recorded.scores import RECORDED_SCORE_COLUMNS, read_scores
from judging.formats.recorded.votes import RECORDED_VOTE_COLUMNS, read_votes
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
