"""Twelve files as people have them: pairs, long tables, wide tables, Parquet, XLSX, semicolons, and an Arena file."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evenhand.formats import SourceFile

ARTICLES = [
    f"Article {number}: the council met on Monday and spoke at length about item {number}." for number in range(4)
]
MODELS = ("gpt-4", "llama-3")


def summary(article: int, model: str) -> str:
    return f"The council spoke about item {article}, as {model} puts it in one sentence."


@dataclass(frozen=True)
class PeopleTable:
    """A file, and what it holds. ignored: columns that the guessed mapping does not read."""

    name: str
    content: bytes
    contexts: int = 4
    candidates: int = 8
    scores: int = 0
    votes: int = 0
    attributes: Sequence[str] = ("overall",)
    ignored: Sequence[str] = field(default_factory=tuple)

    @property
    def file(self) -> SourceFile:
        return SourceFile(self.name, self.content)


def csv_bytes(rows: Sequence[Mapping[str, object]], *, delimiter: str = ",", encoding: str = "utf-8") -> bytes:
    buffer = io.StringIO(newline="")
    writer = csv.DictWriter(buffer, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue().encode(encoding)


def json_lines_bytes(rows: Sequence[Mapping[str, object]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def parquet_bytes(rows: Sequence[Mapping[str, object]]) -> bytes:
    import pyarrow
    import pyarrow.parquet

    buffer = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([dict(row) for row in rows]), buffer)
    return buffer.getvalue()


def xlsx_bytes(rows: Sequence[Mapping[str, object]]) -> bytes:
    import openpyxl

    workbook = openpyxl.Workbook()
    sheet = workbook.active
    sheet.append(list(rows[0]))
    for row in rows:
        sheet.append(list(row.values()))
    buffer = io.BytesIO()
    workbook.save(buffer)
    return buffer.getvalue()


def zip_bytes(contents: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def pair_of_responses() -> PeopleTable:
    winners = ["response_a", "response_b", "tie", "response_a"]
    rows = [
        {"prompt": text, "response_a": summary(i, "gpt-4"), "response_b": summary(i, "llama-3"), "winner": winners[i]}
        for i, text in enumerate(ARTICLES)
    ]
    return PeopleTable("pairs.csv", csv_bytes(rows), votes=4)


def pair_with_systems() -> PeopleTable:
    rows = [
        {
            **{"id": i, "instruction": text, "model_1": "gpt-4", "output_1": summary(i, "gpt-4")},
            **{"model_2": "llama-3", "output_2": summary(i, "llama-3"), "better": MODELS[i % 2]},
            **{"annotator": f"ann-{rater}", "comment": "fine"},
        }
        for i, text in enumerate(ARTICLES)
        for rater in range(2)
    ]
    return PeopleTable("annotations.csv", csv_bytes(rows), votes=8, ignored=("comment",))


def pair_of_chosen() -> PeopleTable:
    rows = [
        {
            "chosen": [{"role": "user", "content": text}, {"role": "assistant", "content": summary(i, "gpt-4")}],
            "rejected": [{"role": "user", "content": text}, {"role": "assistant", "content": summary(i, "llama-3")}],
            "margin": 0.5,
        }
        for i, text in enumerate(ARTICLES)
    ]
    return PeopleTable("preferences.jsonl", json_lines_bytes(rows), votes=4, ignored=("margin",))


def long_with_ids() -> PeopleTable:
    rows = [
        {"id": i, "article": text, "summary": summary(i, model), "model": model, "score": i + 0.5}
        for i, text in enumerate(ARTICLES)
        for model in MODELS
    ]
    return PeopleTable("scores.csv", csv_bytes(rows), scores=8, attributes=("score",))


def long_with_raters() -> PeopleTable:
    rows = [
        {
            **{"item": f"a{i}", "source": text, "system": model, "output": summary(i, model)},
            **{"rater": rater, "fluency": 4, "relevance": 3 + i % 2},
        }
        for i, text in enumerate(ARTICLES)
        for model in MODELS
        for rater in ("ann", "bob")
    ]
    return PeopleTable("ratings.tsv", csv_bytes(rows, delimiter="\t"), scores=16, attributes=("fluency", "relevance"))


def long_with_dimensions() -> PeopleTable:
    rows = [
        {"question": text, "answer": summary(i, model), "model": model, "dimension": dimension, "rating": 2 + i % 3}
        for i, text in enumerate(ARTICLES)
        for model in MODELS
        for dimension in ("clarity", "depth")
    ]
    return PeopleTable("tidy.jsonl", json_lines_bytes(rows), scores=16, attributes=("clarity", "depth"))


def wide_texts() -> PeopleTable:
    rows = [{"question": text, **{model: summary(i, model) for model in MODELS}} for i, text in enumerate(ARTICLES)]
    return PeopleTable("outputs.csv", csv_bytes(rows), attributes=())


def wide_with_scores() -> PeopleTable:
    rows = [
        {
            **{"doc_id": f"d{i}", "document": text},
            **{model: summary(i, model) for model in MODELS},
            **{f"{model}_quality": i + 1 for model in MODELS},
        }
        for i, text in enumerate(ARTICLES)
    ]
    content = json.dumps(rows, indent=1).encode()
    return PeopleTable("outputs.json", content, scores=8, attributes=("quality",))


def parquet_best_of_four() -> PeopleTable:
    rows = [
        {
            **{"id": str(i), "prompt": text, "chosen": [summary(i, "gpt-4")]},
            **{"rejected": [f"{summary(i, 'llama-3')} Try {n}." for n in range(3)], "num_correct": 1},
            **{"models": ["a", "b", "c", "d"], "subset": "Focus"},
        }
        for i, text in enumerate(ARTICLES)
    ]
    ignored = ("num_correct", "models")
    return PeopleTable("test-00000-of-00001.parquet", parquet_bytes(rows), candidates=16, votes=12, ignored=ignored)


def workbook() -> PeopleTable:
    rows = [
        {"Prompt": text, "Model": model, "Response": summary(i, model), "Helpfulness": 4.5 - i, "Notes": None}
        for i, text in enumerate(ARTICLES)
        for model in MODELS
    ]
    return PeopleTable("study.xlsx", xlsx_bytes(rows), scores=8, attributes=("Helpfulness",), ignored=("Notes",))


def semicolons() -> PeopleTable:
    rows = [
        {"Vorlage": text, "Zusammenfassung": summary(i, model), "System": model, "Note": f"{i},5"}
        for i, text in enumerate(ARTICLES)
        for model in MODELS
    ]
    return PeopleTable(
        "noten.csv", csv_bytes(rows, delimiter=";", encoding="utf-8-sig"), scores=8, attributes=("Note",)
    )


def arena() -> PeopleTable:
    rows = [
        {
            **{"question_id": f"q{i}", "model_a": "gpt-4", "model_b": "llama-3", "winner": "tie (bothbad)"},
            **{
                f"conversation_{side}": conversation(text, summary(i, model))
                for side, model in zip("ab", MODELS, strict=True)
            },
            **{"judge": f"arena_user_{i}", "turn": 1, "anony": True, "language": "English", "tstamp": 1682351591.1},
        }
        for i, text in enumerate(ARTICLES)
    ]
    return PeopleTable("arena.parquet", parquet_bytes(rows), votes=4)


def conversation(prompt: str, answer: str) -> list[dict[str, str]]:
    return [{"content": prompt, "role": "user"}, {"content": answer, "role": "assistant"}]


PEOPLE_TABLES = {
    make.__name__: make
    for make in (
        *(pair_of_responses, pair_with_systems, pair_of_chosen, long_with_ids, long_with_raters, long_with_dimensions),
        *(wide_texts, wide_with_scores, parquet_best_of_four, workbook, semicolons, arena),
    )
}
