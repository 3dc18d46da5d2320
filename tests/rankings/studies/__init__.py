"""Small studies: a dataset imported from JSON Lines, and runs imported from CSV."""

import json

from evenhand.formats import SourceFile, read_comparisons, read_dataset, read_scores
from judging.services.datasets.dataset_import import import_dataset
from judging.services.datasets.recorded.answer_rows import COMPARISONS, SCORES
from judging.services.datasets.recorded.recorded_runs import import_judgments

WORKED_CONTEXTS = [
    {
        "context": "c0",
        "text": "An article.",
        "subset": "scored",
        "candidates": [
            {"candidate": "a", "system": "S", "text": "A", "scores": {"overall": 3}},
            {"candidate": "b", "system": "T", "text": "B", "scores": {"overall": 2}},
            {"candidate": "c", "system": "U", "text": "C", "scores": {"overall": 1}},
        ],
    },
    {
        "context": "c1",
        "text": "Another.",
        "subset": "voted",
        "candidates": [{"candidate": key, "system": key, "text": key} for key in "abc"],
        "votes": [
            {"attribute": "overall", "first": "a", "second": "b", "choice": "second", "rater": "h1"},
            {"attribute": "overall", "first": "b", "second": "a", "choice": "first", "rater": "h2"},
            {"attribute": "overall", "first": "a", "second": "b", "choice": "first", "rater": "h3"},
        ],
    },
]
WORKED_ANSWERS = """\
context,attribute,first,second,p_first,choice
c0,overall,a,b,0.9,
c0,overall,b,a,0.3,
c0,overall,a,c,0.8,
c0,overall,c,a,0.6,
c0,overall,b,c,0.7,
c0,overall,c,b,0.5,
c1,overall,a,b,0.4,
c1,overall,b,a,,unparsed
c1,overall,a,c,,error
"""


def with_copies(contexts, answers, times=2):
    """Repeat the first context and its answers under other names: three contexts of the two have intervals."""
    header, *lines = answers.splitlines()
    copies = [{**contexts[0], "context": f"copy{number}"} for number in range(times)]
    more = [line.replace("c0,", f"{one['context']},", 1) for one in copies for line in lines if line.startswith("c0,")]
    return [*contexts, *copies], "\n".join([header, *lines, *more]) + "\n"


def make_dataset(contexts=WORKED_CONTEXTS, *, name="Study", owner=None):
    lines = "\n".join(json.dumps(context) for context in contexts)
    record = read_dataset([SourceFile("study.jsonl", lines.encode())])
    return import_dataset(record, name=name, sha256="0" * 64, owner=owner, visibility="open")


def compared(dataset, answers=WORKED_ANSWERS, *, judge="judge"):
    """Import a judge's run. answers: a CSV file of recorded comparisons."""
    records = read_comparisons([SourceFile("answers.csv", answers.encode())])
    [run] = import_judgments(COMPARISONS, records, dataset=dataset, judge_name=judge)
    return run


def scored(dataset, answers, *, judge="metric"):
    """Import a metric's run. answers: a CSV file of recorded scores."""
    records = read_scores([SourceFile("answers.csv", answers.encode())])
    [run] = import_judgments(SCORES, records, dataset=dataset, judge_name=judge)
    return run


def one_context(*scores, votes=()):
    """One context with candidates a, b … and these human scores; None is a candidate without one."""
    candidates = [
        {"candidate": key, "text": key} | ({} if score is None else {"scores": {"overall": score}})
        for key, score in zip("abcdefgh", scores, strict=False)
    ]
    return [{"context": "c0", "text": "Article", "candidates": candidates, "votes": list(votes)}]


def answers(*rows):
    """Write a CSV file of comparisons on c0, from rows such as "a b 0.7" or "a b first"."""
    lines = ["context,attribute,first,second,p_first,choice"]
    for first, second, answer in (row.split() for row in rows):
        is_choice = answer.isalpha()
        lines.append(f"c0,overall,{first},{second},{'' if is_choice else answer},{answer if is_choice else ''}")
    return "\n".join(lines) + "\n"
