"""Public tables that a mapping reads, recognised by the names of their columns."""

from dataclasses import dataclass

from evenhand.formats.mappings.table_mapping import TableMapping, parse_mapping


@dataclass(frozen=True, slots=True)
class KnownTable:
    """A public table. optional: fields of the mapping whose column a file may lack.

    marks: columns that are not read but that every file of this kind has.
    source: the paper that published it, by its key in rankings/citations/references.bib; empty if there is none.
    """

    name: str
    title: str
    mapping: TableMapping
    optional: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    source: str = ""

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that every file of this kind has."""
        required = [column for field, column in self.mapping.columns.items() if field not in self.optional]
        return tuple(dict.fromkeys((*required, *self.marks)))


def _mapping(layout: str, columns: str, choices: tuple[str, ...] = ()) -> TableMapping:
    """Return a mapping from the options `--map` and `--choice` of a command that would import the table."""
    return parse_mapping(layout, columns.split(), choices, is_complete=False)


KNOWN_TABLES = (
    KnownTable(
        "arena",
        "Chatbot Arena conversations",
        _mapping(
            "pairs",
            "text_first=conversation_a text_second=conversation_b system_first=model_a system_second=model_b "
            "choice=winner rater=judge context=question_id messages=conversation_a messages=conversation_b",
            (
                *("first=model_a", "second=model_b"),
                *("tie=tie", "tie=tie (bothbad)", "tie=both_bad", "tie=tie (inconsistent)"),
            ),
        ),
        optional=("rater", "context"),
        source="Chiang2024",
    ),
    KnownTable(
        "arena-responses",
        "Chatbot Arena responses",
        _mapping(
            "pairs",
            "context_text=prompt text_first=response_a text_second=response_b system_first=model_a "
            "system_second=model_b won:first=winner_model_a won:second=winner_model_b won:tie=winner_tie context=id "
            "messages=prompt messages=response_a messages=response_b",
        ),
        optional=("context",),
        source="Chiang2024",
    ),
    KnownTable(
        "reward-bench-2",
        "RewardBench 2",
        _mapping("pairs", "context=id context_text=prompt chosen=chosen rejected=rejected subset=subset"),
        marks=("num_correct",),
        source="Malik2025",
    ),
    KnownTable(
        "judge-bench",
        "JudgeBench",
        _mapping(
            "pairs",
            "context=pair_id context_text=question text_first=response_A text_second=response_B choice=label "
            "subset=source system_first=response_model system_second=response_model",
            ("first=A>B", "second=B>A", "tie=A=B"),
        ),
        optional=("subset", "system_first", "system_second"),
        source="Tan2025",
    ),
    KnownTable(
        "alpaca-eval",
        "AlpacaEval annotations",
        _mapping(
            "pairs",
            "context_text=instruction text_first=output_1 text_second=output_2 context_text=input "
            "system_first=generator_1 system_second=generator_2 choice=preference rater=annotator subset=dataset",
            ("first=1", "first=1.0", "second=2", "second=2.0", "tie=1.5", "tie=0", "tie=0.0"),
        ),
        optional=("context_text:2", "rater", "subset", "system_first", "system_second"),
        source="Dubois2024",
    ),
    KnownTable(
        "alpaca-eval-outputs",
        "AlpacaEval outputs",
        _mapping(
            "candidates", "context_text=instruction context_text=input text=output system=generator subset=dataset"
        ),
        optional=("context_text:2", "subset"),
        source="Dubois2024",
    ),
    KnownTable(
        "preference",
        "Preference data with chosen and rejected texts",
        _mapping(
            "pairs",
            "context_text=prompt chosen=chosen rejected=rejected system_first=chosen_model "
            "system_second=rejected_model subset=subset",
        ),
        optional=("context_text", "system_first", "system_second", "subset"),
    ),
)
