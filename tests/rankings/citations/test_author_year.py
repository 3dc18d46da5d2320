"""Citations as readers see them, and the list of references."""

import pytest

from evalsite import __version__
from rankings.citations.author_year import bibtex_entries, readable_text


def test_citation_names_authors_and_year():
    text = readable_text("We use SummEval [@Fabbri2021], ROUGE [@Lin2004] and ranks [@Bradley1952; @Chiang2024].")

    assert text.paragraph == (
        "We use SummEval (Fabbri et al., 2021), ROUGE (Lin, 2004) and ranks "
        "(Bradley and Terry, 1952; Chiang et al., 2024)."
    )


def test_references_are_in_alphabetical_order_with_authors_title_and_place():
    assert readable_text("[@Popovic2015] [@Fabbri2021] [@Lin2004] [@Popovic2015]").references == [
        "A. R. Fabbri, W. Kryściński, B. McCann, C. Xiong, R. Socher and D. Radev (2021). "
        "SummEval: Re-evaluating Summarization Evaluation. "
        "Transactions of the Association for Computational Linguistics 9.",
        "C.-Y. Lin (2004). ROUGE: A Package for Automatic Evaluation of Summaries. Text Summarization Branches Out.",
        "M. Popović (2015). chrF: Character n-gram F-score for Automatic MT Evaluation. Proceedings of WMT.",
    ]


def test_authors_who_are_not_named_are_et_al():
    [reference] = readable_text("[@Tan2025]").references

    assert reference.startswith("S. Tan, S. Zhuang, K. Montgomery, W. Y. Tang et al. (2025). JudgeBench: ")


def test_two_sources_of_the_same_authors_and_year_have_letters():
    text = readable_text("First [@Liusie2024], then [@Liusie2024b].")

    assert text.paragraph == "First (Liusie et al., 2024a), then (Liusie et al., 2024b)."
    assert [reference[reference.index("(") : reference.index(")") + 1] for reference in text.references] == [
        "(2024a)",
        "(2024b)",
    ]


def test_program_is_cited_by_its_authors_with_its_version():
    text = readable_text("Computed with [@Evenhand].")

    assert text.paragraph == "Computed with (The Evenhand authors, 2026)."
    assert text.references == [
        "The Evenhand authors (2026). Evenhand: Human and LLM Judges of Generated Text, Side by Side. "
        f"Version {__version__}."
    ]


@pytest.mark.parametrize("key", bibtex_entries())
def test_every_source_is_written_in_plain_characters(key):
    text = readable_text(f"[@{key}]")

    assert not set("".join([text.paragraph, *text.references])) & set("{}\\@[]")


def test_paragraph_without_citations_stays():
    assert readable_text("No source [1].").paragraph == "No source [1]."
    assert readable_text("No source [1].").references == []
