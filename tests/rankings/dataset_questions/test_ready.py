"""Figures that a dataset or a file can give: as the reports do, and the fewest additions that unblock a figure."""

import json
import random

import pytest

from judging.models import Dataset
from tests.commands import printed_json, refused
from tests.rankings.studies import compared, make_dataset, scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]
KEYS = "abc"


def made_up(seed):
    """Contexts of a dataset in which each kind of judgment is there or not, on part of the contexts."""
    rng = random.Random(seed)
    share = {what: rng.choice([0, 0.5, 1, 1]) for what in ("score", "vote", "second", "rating", "answer", "turned")}
    named = rng.random() < 0.8
    contexts = []
    for number in range(rng.choice([2, 4, 12, 30, 30])):
        has = {what: rng.random() < value for what, value in share.items()}
        candidates = [{"candidate": key, "text": key} | ({"system": key} if named else {}) for key in KEYS]
        for one in candidates:
            one |= {"scores": {"overall": rng.randint(1, 5)}} if has["score"] else {}
            raters = {f"r{who}": rng.randint(1, 5) for who in range(1 + has["second"])}
            one |= {"ratings": {"overall": raters}} if has["rating"] and not has["score"] else {}
        votes = [
            {"attribute": "overall", "first": two[0], "second": two[1], "choice": choice, "rater": f"h{who}"}
            for two in ("ab", "ac")
            for who in range(has["vote"] * (1 + has["second"]))
            for choice in [rng.choice(["first", "second"])]
        ]
        context = {"context": f"c{number}", "text": "Article", "candidates": candidates, "votes": votes}
        contexts.append((context, has))
    header = {"dataset": {"attributes": [{"name": "overall", "adjective": "good"}]}}
    return [header, *(one for one, _ in contexts)], [has for _, has in contexts], rng


def stored(seed):
    """Store a made-up dataset, with a run that compares, one that chooses, or one that scores, or none."""
    contexts, chosen, rng = made_up(seed)
    dataset = make_dataset(contexts)
    kind = rng.choice(["p", "p", "choice", "score", "none"])
    answered = [(f"c{number}", has) for number, has in enumerate(chosen) if has["answer"]]
    if kind == "score":
        rows = [f"{key},overall,{one},{rng.randint(1, 9)}" for key, _ in answered for one in KEYS]
        _ = rows and scored(dataset, "\n".join(["context,attribute,candidate,score", *rows]))
    elif kind != "none":
        pairs = [(key, two) for key, has in answered for two in ("ab", "ac", "bc", *(["ba"] if has["turned"] else []))]
        rows = [
            f"{key},overall,{two[0]},{two[1]},{rng.choice([0, 1]) if kind == 'choice' else rng.random()}"
            for key, two in pairs
        ]
        _ = rows and compared(dataset, "\n".join(["context,attribute,first,second,p_first", *rows]))
    return dataset


def with_intervals(capsys, dataset):
    """Return the figures of ready that have an interval in the reports of any run, or between people."""
    [people] = printed_json(capsys, "agreement", "--dataset", dataset.name)["attributes"]
    figures = [
        ("krippendorff_alpha", people["ratings"]["krippendorff_alpha_ordinal"]),
        ("human", people["people"]["human"]),
    ]
    for run in dataset.runs.all():
        [row, *_] = printed_json(capsys, "report", "--dataset", dataset.name)["rows"]
        figures += [(name, row[name]) for name in ("accuracy", "kappa", "p_first", "order_agreement")]
        [blocks] = [
            block["raw"] for name, block in row["spearman"].items() if name in ("poe-bt", "score", "win-ratio")
        ][:1]
        figures += [(f"spearman.{at}", {"low": blocks[f"{at}_low"]}) for at in ("per_context", "system")]
        own = printed_json(capsys, "diagnostics", run.pk)
        figures += [("expected_calibration_error", own["calibration"]["expected_calibration_error"])]
        figures += [("win_rate", one["win_rate"]) for one in own["prediction_powered"]["systems"]]
    return {name for name, figure in figures if figure["low"] is not None}


@pytest.mark.parametrize("seed", [0, 2, 4, 9, 13, 16, 21, 27, 33, 38, 41, 54])
def test_figures_that_can_be_computed_are_those_that_reports_give_an_interval(capsys, seed):
    dataset = stored(seed)

    report = printed_json(capsys, "ready", "--dataset", dataset.name)

    assert {one["figure"] for one in report["can"]} == with_intervals(capsys, dataset)


def voted(votes, *, contexts=5):
    """Contexts of two texts, the first of which have so many votes."""
    return [
        {
            "context": f"c{number}",
            "text": "Article",
            "candidates": [{"candidate": key, "text": key, "system": key} for key in "ab"],
            "votes": [
                {"attribute": "overall", "first": "a", "second": "b", "choice": "first", "rater": f"h{rater}"}
                for rater in range(votes[number] if number < len(votes) else 0)
            ],
        }
        for number in range(contexts)
    ]


def blocked(capsys, dataset):
    """Return figure -> what is needed, and why."""
    report = printed_json(capsys, "ready", "--dataset", dataset.name)
    return {one["figure"]: (one["needed"], one["why"]) for one in report["blocked"]}


def test_needed_is_the_smallest_number_of_votes_and_second_orders_that_unblocks(capsys):
    lines = ["context,attribute,first,second,p_first", *(f"c{number},overall,a,b,0.8" for number in range(5))]
    turned = [f"c{number},overall,b,a,0.3" for number in range(5)]
    found = []
    for votes, orders in (([1], 0), ([1, 1], 1), ([2, 1, 1], 3), ([2, 2, 2], 3)):
        dataset = make_dataset(voted(votes), name=f"{votes} {orders}")
        compared(dataset, "\n".join([*lines, *turned[:orders]]) + "\n")
        found.append({name: needed for name, (needed, _) in blocked(capsys, dataset).items()})

    figures = ("accuracy", "human", "order_agreement")
    assert [[one.get(name) for name in figures] for one in found] == [[2, 5, 3], [1, 4, 2], [None, 2, None], [None] * 3]


def test_what_is_missing_is_named_with_what_would_give_it(capsys):
    header = {"dataset": {"attributes": [{"name": "overall", "adjective": "good"}]}}

    assert blocked(capsys, make_dataset([header, *voted([])], name="Five"))["accuracy"] == (
        3,
        "3 more votes would do; people prefer one of two texts in 0 of 3 contexts",
    )
    assert blocked(capsys, make_dataset(voted([1], contexts=1), name="One"))["accuracy"] == (
        2,
        "2 more contexts would do; people prefer one of two texts in 1 of 3 contexts",
    )
    assert blocked(capsys, make_dataset(voted([1] * 4), name="Four of five"))["kappa"] == (
        6,
        "6 more contexts would do; people prefer one of two texts in 4 of 10 contexts",
    )
    assert blocked(capsys, make_dataset(voted([1, 1, 1]), name="Unjudged"))["accuracy"] == (
        3,
        "3 more comparisons would do; a judge compared a pair that people decided in 0 of 3 contexts",
    )
    for votes, needed in (
        (15, (5, "5 more votes would do; people voted on a system in 15 contexts")),
        (20, (1, "1 more comparison would do; people voted on all that a judge compared in 20 contexts")),
    ):
        dataset = make_dataset(voted([1] * votes, contexts=20), name=f"{votes} of 20")
        lines = [f"c{number},overall,a,b,0.8" for number in range(20)]
        compared(dataset, "\n".join(["context,attribute,first,second,p_first", *lines]))
        assert blocked(capsys, dataset)["win_rate"] == needed


def test_file_is_read_like_the_dataset_that_it_would_become_and_stored_nowhere(capsys, tmp_path):
    lines, table = tmp_path / "votes.jsonl", tmp_path / "table.csv"
    lines.write_text("\n".join(map(json.dumps, voted([2, 2, 2]))))
    table.write_text(
        "question,answer,model,rating\n" + "".join(f"q{n},text {n} {m},m{m},{m}\n" for n in range(12) for m in (1, 2))
    )

    of_file, guessed = (printed_json(capsys, "ready", path) for path in (lines, table))

    assert Dataset.objects.count() == 0
    assert {"figure": "human", "n": 3} in of_file["can"]
    assert "people prefer one" not in " ".join(one["why"] for one in guessed["blocked"])
    make_dataset(voted([2, 2, 2]), name="Stored")
    assert printed_json(capsys, "ready", "--dataset", "Stored") == of_file


def test_neither_files_nor_a_dataset_or_both_or_a_file_with_problems_are_refused(capsys, tmp_path):
    make_dataset(name="Stored")
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"context": 1}')

    assert refused(capsys, "ready") == ["dataset: give files to read, or --dataset NAME"]
    assert refused(capsys, "ready", broken, "--dataset", "Stored")[0].endswith("--dataset NAME, not both")
    assert str(broken) in refused(capsys, "ready", broken)[0]
    assert Dataset.objects.count() == 1


def test_pages_of_a_dataset_begin_with_what_can_be_computed(client, researcher):
    dataset = make_dataset(voted([2, 2, 2]), owner=researcher)
    client.force_login(researcher)

    page = client.get(f"/datasets/{dataset.pk}/").content.decode()
    part = client.get(f"/datasets/{dataset.pk}/ready/?part").content.decode()

    assert page.index(f"/datasets/{dataset.pk}/ready/?part") < page.index("Human judgments")
    assert "1 of 10 figures can be computed now, each with its interval." in part
