"""Studies of several judges on one context of four candidates, with human scores and votes."""

import re
from itertools import permutations

from judging.services.studies.study_changes import add_runs, create_study
from tests.rankings.studies import answers, compared, make_dataset, one_context, scored

CELL = re.compile(r'<td class="num[^>]*data-column="([^"]*)" data-value="([^"]*)"')
SCORES = (4, 3, 2, 1)
VOTES = [
    {"attribute": "overall", "first": first, "second": second, "choice": "first", "rater": rater}
    for rater in ("h1", "h2")
    for first, second in ("ab", "bc", "cd", "ac", "ad", "bd")
]


def p_first(first, second, noise):
    """Return the answer of a judge. noise: 0 follows the scores; more turns some pairs round."""
    gap = SCORES["abcd".index(first)] - SCORES["abcd".index(second)]
    turned = noise and (ord(first) * ord(second)) % 7 < noise
    return round(0.5 + (-0.1 if turned else 0.1) * gap + 0.02, 3)


def judged(dataset, judge, noise=0):
    """Import the answers of a judge to all ordered pairs."""
    rows = [f"{one} {other} {p_first(one, other, noise)}" for one, other in permutations("abcd", 2)]
    return compared(dataset, answers(*rows), judge=judge)


def contexts_with_systems(*, named=True):
    """Return the context, whose texts name a system each. named: False for texts without systems."""
    contexts = one_context(*SCORES)
    for candidate in contexts[0]["candidates"]:
        candidate |= {"system": f"system {candidate['candidate']}"} if named else {}
    return contexts


def make_study(*judges, votes=(), name="Charts", **more):
    """Make a study of judges that differ in their noise: the first follows the scores."""
    dataset = make_dataset(one_context(*SCORES, votes=votes), name=name)
    runs = [judged(dataset, judge, noise) for noise, judge in enumerate(judges)]
    return create_study(name, runs=runs, **more)


def make_grid(judges, prompts):
    """Make a study of each judge with each prompt. Each further prompt turns more pairs round."""
    dataset = make_dataset(one_context(*SCORES), name="Grid")
    runs = []
    for judge in judges:
        for noise, prompt in enumerate(prompts):
            run = judged(dataset, judge, noise)
            run.prompt_name = prompt
            run.save(update_fields=["prompt_name"])
            runs.append(run)
    return create_study("Grid", runs=runs)


def add_metric(study):
    """Add a scoring run to a study."""
    dataset = study.runs.first().dataset
    rows = "\n".join(f"c0,overall,{key},{score}" for key, score in zip("abcd", SCORES, strict=True))
    add_runs(study, [scored(dataset, f"context,attribute,candidate,score\n{rows}\n")])


def cells_by_row(page):
    """Return row -> column -> number, of the table of the page."""
    rows = {}
    for row in page.split('<th scope="row"')[1:]:
        name = re.sub(r"<[^>]*>", " ", row.partition(">")[2].partition("</th>")[0]).split("  ")[0].strip()
        rows[name] = {column: float(value) for column, value in CELL.findall(row) if value}
    return rows
