"""A dataset with runs for every analysis, and the three doors of an analysis."""

import random

from evenhand.formats import SourceFile, read_comparisons
from judging.services.datasets.recorded.answer_rows import COMPARISONS
from judging.services.datasets.recorded.recorded_runs import import_judgments

NEEDED = {
    "curve": {"ranking": "bradley-terry", "draws": "5"},
    "gate": {"at_least": "accuracy=0.01"},
    "kinds": {"by": "length"},
    "replaced": {"margin": "0.6"},
}
"""name of an analysis -> the options without which it has no answer, or its page another."""
SYSTEMS = ("Plain", "Wordy", "Listed", "Bold")


def context(number):
    random.seed(number)
    texts = [
        "one two",
        f"one{' more' * random.randint(8, 20)}",
        f"- one{chr(10)}- two" * random.randint(1, 3),
        "**one**",
    ]
    return {
        "context": f"c{number}",
        "text": "Article",
        "candidates": [
            {"candidate": system[0], "system": system, "text": text, "scores": {"overall": random.randint(1, 5)}}
            for system, text in zip(SYSTEMS, texts, strict=True)
        ],
    }


def judged(dataset, *, seed=0, owner=None):
    """A run on every ordered pair, whose judge answers at random."""
    random.seed(seed)
    lines = ["context,attribute,first,second,p_first"]
    lines += [
        f"{one.key},overall,{first[0]},{second[0]},{random.random():.3f}"
        for one in dataset.contexts.all()
        for first in SYSTEMS
        for second in SYSTEMS
        if first != second
    ]
    records = read_comparisons([SourceFile("answers.csv", "\n".join(lines).encode())])
    [run] = import_judgments(COMPARISONS, records, dataset=dataset, judge_name=f"judge {seed}", owner=owner)
    return run


def steered(run):
    """A run of the same judge with an added sentence, and other answers."""
    again, sentence = judged(run.dataset, seed=7, owner=run.owner), {"name": "neutral", "text": "Well.", "seed": 0}
    again.judge, again.added_sentence, again.spec = run.judge, "neutral", run.spec | {"steering": sentence}
    again.save()
    return again


def two_runs(analysis, run):
    """Return name -> number of the two runs that the analysis compares: this one, and another on its dataset."""
    other = run.dataset.runs.exclude(pk=run.pk).earliest("pk")
    return {one.name: two.pk for one, two in zip(analysis.two_runs, (run, other), strict=False)}


def page(client, analysis, run, query=None, file="/"):
    """Return the page, or a file of it. file: the end of its address."""
    of = f"runs/{run.pk}" if analysis.of == "run" else f"datasets/{run.dataset_id}"
    needed = two_runs(analysis, run) | NEEDED.get(analysis.name, {})
    return client.get(f"/{of}/{analysis.name}{file}", needed | (query or {}))


def api(client, analysis, run, query=None):
    of = f"datasets/{run.dataset_id}" if analysis.of == "dataset" else f"runs/{run.pk}"
    other = "".join(f"{pk}/" for pk in [*two_runs(analysis, run).values()][1:])
    return client.get(f"/api/{of}/{analysis.name}/{other}", NEEDED.get(analysis.name, {}) | (query or {}))


def command(analysis, run):
    about = {"run": [run.pk], "dataset": ["--dataset", run.dataset.name]}
    about |= {"two runs": two_runs(analysis, run).values()}
    return [analysis.examples[0].split()[0], *about[analysis.of], *arguments(NEEDED.get(analysis.name, {}))]


def arguments(query):
    """Return the arguments of a command for the parameters of an address."""
    return [part for name, value in query.items() for part in (f"--{name.replace('_', '-')}", value)]
