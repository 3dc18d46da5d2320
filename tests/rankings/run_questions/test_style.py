"""Control for style by command, page and API."""

import numpy as np
import pytest

from rankings.run_questions.style_report import count_features
from tests.commands import printed, printed_json, refused
from tests.rankings.studies import answers, compared, make_dataset, one_context, scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]

SYSTEMS = {"a": "Plain", "b": "Wordy", "c": "Listed"}


def styled_dataset(*, contexts=30):
    """Three systems of equal quality; one writes at length, one in lists, each more or less in every context."""
    rng = np.random.default_rng(0)
    return make_dataset([styled_context(f"c{number}", rng) for number in range(contexts)], name="Styled")


def styled_context(key, rng):
    words = {name: int(rng.integers(4, 12)) * (3 if name == "b" else 1) for name in SYSTEMS}
    items = {name: int(rng.integers(1, 5)) if name == "c" else int(rng.integers(0, 2)) for name in SYSTEMS}
    return {
        "context": key,
        "text": "Article",
        "candidates": [
            {
                "candidate": name,
                "system": system,
                "text": " ".join(["word"] * words[name]) + "".join(f"\n- item {at}" for at in range(items[name])),
                "scores": {"overall": 1},
            }
            for name, system in SYSTEMS.items()
        ],
    }


def judged_by_length(dataset, *, taste=2.0):
    """A run whose judge looks at nothing but the share of words, with a little noise."""
    rng, lines = np.random.default_rng(1), ["context,attribute,first,second,p_first"]
    for context in dataset.contexts.all():
        lengths = {one.key: len(one.text.split()) for one in context.candidates.all()}
        for first in lengths:
            for second in (one for one in lengths if one != first):
                gap = (lengths[first] - lengths[second]) / (lengths[first] + lengths[second])
                p_first = 1 / (1 + np.exp(-(taste * gap + 0.3 * rng.normal())))
                lines.append(f"{context.key},overall,{first},{second},{p_first:.6f}")
    return compared(dataset, "\n".join(lines) + "\n", judge="measures")


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("One two\nthree", [3, 0, 0, 0]),
        ("# Title\n\n## Part\nText #no", [6, 2, 0, 0]),
        ("A **bold** word and __another__, 2 * 3 * 4", [10, 0, 2, 0]),
        ("- one\n  * two\n3. three\n4) four\n-none", [9, 0, 0, 4]),
        ("", [0, 0, 0, 0]),
    ],
)
def test_features_count_words_headings_bold_and_list_items(text, counts):
    assert count_features(text) == counts


def test_a_taste_for_length_is_found_and_taken_out_of_the_ranking(capsys):
    run = judged_by_length(styled_dataset())

    report = printed_json(capsys, "style", run.pk)

    effects = {one["feature"]: one["coefficient"] for one in report["coefficients"]}
    systems = {one["system"]: one for one in report["systems"]}
    assert effects["words"]["low"] < 2.0 < effects["words"]["high"]
    assert effects["list items"]["low"] < 0.0 < effects["list items"]["high"]
    assert effects["bold"] == {
        "value": None,
        "low": None,
        "high": None,
        "n": 0,
        "undefined": "the compared texts never differ in it",
    }
    assert systems["Wordy"]["before"]["low"] > 0.3
    assert abs(systems["Wordy"]["after"]["value"]) < 0.2
    assert systems["Wordy"]["rank_before"] == 1
    assert (report["comparisons"], report["contexts"]) == (180, 30)
    text = printed(capsys, "style", run.pk)
    assert "This judge prefers texts with more words (coefficient" in text
    assert "of 3 systems change rank" in text


def test_runs_without_systems_are_refused(capsys):
    dataset = make_dataset(one_context(3, 2, 1))
    run = compared(dataset, answers("a b 0.9"))

    assert refused(capsys, "style", run.pk) == [
        f"run: {run.pk} compares no texts of two named systems, so there is no ranking of systems"
    ]


def test_scores_of_single_texts_are_compared_without_a_position_whatever_the_order_of_the_dataset(capsys):
    rng = np.random.default_rng(2)
    contexts = [styled_context(f"c{number}", rng) for number in range(4)]
    turned = [one | {"candidates": one["candidates"][::-1]} for one in contexts]
    lines = [f"c{number},overall,{key},{value}" for number in range(4) for key, value in (("a", 3), ("b", 2), ("c", 1))]
    scores = "context,attribute,candidate,score\n" + "\n".join(lines) + "\n"
    runs = [scored(make_dataset(one, name=f"Styled {number}"), scores) for number, one in enumerate((contexts, turned))]

    report, other = (printed_json(capsys, "style", run.pk) for run in runs)

    assert report["comparisons"] == 12
    assert report["position_bias"]["undefined"].endswith("shows no pair, so it has no position bias")
    assert [row["system"] for row in report["systems"]] == ["Plain", "Wordy", "Listed"]
    for one, two in zip(report["systems"], other["systems"], strict=True):
        assert one["after"]["value"] == pytest.approx(two["after"]["value"], abs=1e-6)
