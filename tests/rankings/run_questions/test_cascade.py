"""Cascades: who answers what, the guarantee on new contexts, what it costs, and what is refused."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit

from evenhand.numerics import Comparisons
from evenhand.numerics.reliability.cascade import guaranteed_cascade
from evenhand.numerics.reliability.guaranteed_threshold import NoGuarantee, guaranteed_threshold
from judging.models import Run
from tests.commands import printed, printed_json, refused
from tests.rankings.studies import compared, make_dataset, scored


def drawn(rng, *, contexts, skills=(0.7, 2.0)):
    """Five pairs of two texts in each context: the comparisons, each judge's probabilities, people's preferences."""
    n, rows = 5 * contexts, np.repeat(np.arange(contexts), 5)
    right = rng.integers(0, 2, n).astype(float)
    easy = np.exp(rng.normal(0, 0.7, contexts))[rows]
    signal = (2 * right - 1) * easy
    p_first = np.stack([expit(2 * (skill * signal + rng.normal(size=n))) for skill in skills])
    first = 2 * np.arange(n)
    return Comparisons(2 * n, first, first + 1, p_first[0], np.arange(contexts) * 10), p_first, right


def test_first_judge_that_is_sure_enough_answers_and_people_get_the_rest():
    pairs, p_first, right = drawn(np.random.default_rng(1), contexts=300)
    p_first[0, :7] = np.nan

    found = guaranteed_cascade(pairs, p_first, right, alpha=0.1, confidence=0.95)

    for at in range(len(right)):
        sure = [np.abs(p - 0.5) >= least for p, least in zip(p_first[:, at], found.sureness, strict=True)]
        assert found.by[at] == (sure.index(True) if True in sure else -1)
    assert set(found.by.tolist()) == {-1, 0, 1}
    assert (found.by[:7] != 0).all()
    assert (found.ordering_contexts, found.testing_contexts) == (60, 240)


def test_chances_are_those_of_a_general_optimiser():
    """The sureness of both judges belongs to one chance, by lines fitted on the ordering contexts alone."""
    pairs, p_first, right = drawn(np.random.default_rng(2), contexts=300)
    found = guaranteed_cascade(pairs, p_first, right, alpha=0.1, confidence=0.95)
    chosen = np.random.default_rng(20260602).choice(300, 60, replace=False)
    learned = np.isin(pairs.contexts, chosen)

    chances = []
    for p, least in zip(p_first, found.sureness, strict=True):
        odds, is_right = logit(0.5 + np.abs(p - 0.5))[learned], ((p > 0.5) == right)[learned]

        def loss(line, odds=odds, is_right=is_right):
            margin = line[0] + line[1] * odds
            return np.logaddexp(0, np.where(is_right, -margin, margin)).sum() + (line**2).sum() / 20

        intercept, slope = minimize(loss, np.zeros(2)).x
        chances.append(expit(intercept + slope * logit(0.5 + least)))

    assert chances[0] == pytest.approx(chances[1], abs=1e-4)


def test_one_judge_answers_about_what_its_own_threshold_answers():
    pairs, p_first, right = drawn(np.random.default_rng(3), contexts=300, skills=(1.5,))
    alone = pairs.with_p_first(p_first[0])

    found = guaranteed_cascade(pairs, p_first, right, alpha=0.1, confidence=0.95)
    threshold = guaranteed_threshold(alone, right, np.abs(p_first[0] - 0.5), alpha=0.1, confidence=0.95)

    assert found.sureness[0] == pytest.approx(threshold.threshold, abs=0.02)
    assert (found.answered.value, found.error.value) == pytest.approx(
        (threshold.answered.value, threshold.error.value), abs=0.02
    )


def test_errors_on_new_contexts_stay_below_alpha():
    _, new, truth = drawn(np.random.default_rng(4), contexts=10_000)
    rng, above, found_any = np.random.default_rng(5), 0, 0
    for _ in range(60):
        try:
            found = guaranteed_cascade(*drawn(rng, contexts=80), alpha=0.12, confidence=0.95)
        except NoGuarantee:
            continue
        sure = np.abs(new - 0.5) >= found.sureness[:, None]
        by = np.where(sure.any(axis=0), sure.argmax(axis=0), -1)
        wrong = ((new > 0.5) != truth)[by, np.arange(len(by))]
        above, found_any = above + (wrong[by >= 0].mean() > 0.12), found_any + 1

    assert found_any > 20
    assert above <= 0.05 * 60


def test_judges_without_eyes_have_no_guarantee():
    with pytest.raises(NoGuarantee, match="even of the answers that seem safest"):
        guaranteed_cascade(*drawn(np.random.default_rng(6), contexts=100, skills=(0, 0)), alpha=0.1, confidence=0.95)


def dataset_of(contexts, name="Study"):
    texts = [
        {"candidate": key, "text": key, "scores": {"overall": score}} for key, score in zip("ab", (2, 1), strict=True)
    ]
    return make_dataset(
        [{"context": f"c{at}", "text": "Article", "candidates": texts} for at in range(contexts)], name=name
    )


def judged(dataset, p_of, *, judge, contexts=None):
    """A run in both orders. p_of: number of a context -> the probability of the better text."""
    rows = [
        f"c{at},overall,{first},{second},{p_of(at) if first == 'a' else 1 - p_of(at)}"
        for at in range(contexts or dataset.contexts.count())
        for first, second in ("ab", "ba")
    ]
    return compared(dataset, "\n".join(["context,attribute,first,second,p_first", *rows]) + "\n", judge=judge)


@pytest.fixture
def two(db, forget_reports):
    """A cheap judge that is right where it is sure and blind elsewhere, and a strong one that is always right."""
    dataset = dataset_of(160)
    cheap = judged(dataset, lambda at: 0.95 if at % 2 else (0.55 if at % 4 else 0.45), judge="cheap")
    strong = judged(dataset, lambda at: 0.9 if at % 8 else 0.5, judge="strong")
    Run.objects.filter(pk=cheap.pk).update(prompt_tokens=320)
    Run.objects.filter(pk=strong.pk).update(prompt_tokens=32_000)
    return cheap, strong


def test_report_counts_what_reaches_each_judge_its_tokens_and_the_votes_of_people(capsys, two):
    cheap, strong = two

    report = printed_json(capsys, "cascade", cheap.pk, strong.pk, "--alpha", "0.2", "--confidence", "0.9")

    first, second = report["members"]
    assert (first["run"], first["asked"], first["answered"], first["tokens"]) == (cheap.pk, 320, 160, 320)
    assert (second["run"], second["asked"], second["tokens"]) == (strong.pk, 160, 16_000)
    left = second["asked"] - second["answered"]
    assert report["cost"] == {"tokens": 16_320, "votes": left // 2}
    assert report["last_alone"]["tokens"] == 32_000
    assert report["error"]["value"] <= 0.2
    assert report["comparisons"] == 320
    text = printed(capsys, "cascade", cheap.pk, strong.pk, "--alpha", "0.2", "--confidence", "0.9")
    assert f"All pairs cost 16,320 prompt tokens and {left // 2} vote" in text


def test_runs_that_make_no_cascade_are_refused(capsys, two):
    cheap, strong = two
    few = judged(strong.dataset, lambda at: 0.9, judge="few", contexts=100)
    metric = scored(strong.dataset, "context,attribute,candidate,score\nc1,overall,a,2\n")

    problems = {
        (
            cheap.pk,
            few.pk,
        ): f"then: run {few.pk} asked other pairs than run {cheap.pk} (200 and 320)",
        (cheap.pk, metric.pk): f"run: {metric.pk} gives scores; a cascade needs probabilities of pairs",
        (cheap.pk, cheap.pk): f"then: run {cheap.pk} is named twice; a judge is asked once",
    }
    for runs, problem in problems.items():
        assert refused(capsys, "cascade", *runs)[0].startswith(problem)


def test_too_few_contexts_and_missing_votes_and_probabilities_are_said(capsys, two):
    few = dataset_of(10, name="Few")
    run = judged(few, lambda at: 0.9, judge="one")
    report = printed_json(capsys, "cascade", run.pk)
    assert report["cost"] is None
    assert "10 contexts with a human preference are too few" in report["answered"]["undefined"]
    assert report["contexts_needed"] > 10
    assert "Prompt tokens" not in printed(capsys, "cascade", run.pk)

    choices = judged(two[0].dataset, lambda at: 1.0, judge="choices")
    text = printed(capsys, "cascade", choices.pk, two[1].pk, "--alpha", "0.2")
    assert f"choices (run {choices.pk}) gives choices and no probabilities, so it answers all or nothing" in text
