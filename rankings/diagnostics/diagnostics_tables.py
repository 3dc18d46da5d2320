"""The tables and charts of diagnostics: among them calibration, and p against the difference of human scores."""

from collections.abc import Mapping, Sequence
from functools import partial
from urllib.parse import urlencode

from django.urls import reverse

from evenhand.numerics import Figure
from rankings.charts.dot_chart import interval_bars
from rankings.charts.line_chart import diagonal_trace
from rankings.charts.matrix_chart import counts_trace, middles, shades_of_counts
from rankings.charts.palette import line_colour
from rankings.charts.plotly_chart import Chart, Trace, figure
from rankings.diagnostics.diagnostics_report import USUAL_RANGE
from rankings.diagnostics.diagnostics_row import (
    CalibrationBin,
    CyclicContext,
    DifferencesAtP,
    PredictionPowered,
    RaterFitRow,
    Reliability,
    ScoreDifferences,
    UnjudgedSystems,
)
from rankings.report.printed_numbers import coefficient, ranking_title
from rankings.tables.table import Column, Row, Table

PART_TITLE = "p"
OUTSIDE = "infit or outfit outside {:g} to {:g}".format(*USUAL_RANGE)
_COEFFICIENT = partial(Column, kind="coefficient")
FIT_COLUMNS = (
    _COEFFICIENT(name="infit", title="Infit to all", definition="diagnostics/#infit", reference=1),
    _COEFFICIENT(name="outfit", title="Outfit to all", definition="diagnostics/#outfit", reference=1),
)
RELIABILITY_COLUMNS = tuple(
    _COEFFICIENT(name=name, title=title, definition=f"diagnostics/#{name}")
    for name, title in {
        "split_half": "Split-half",
        "separation_reliability": "Separation reliability",
        "separation_index": "Separation index",
    }.items()
)
_WIN_RATE = partial(Column, group="Win rate", definition="diagnostics/#win_rate", reference=0.5)
_SCORE = partial(Column, group="Bradley-Terry score", kind="coefficient", definition="diagnostics/#score")
_EFFECTIVE_N = partial(Column, title="effective n", kind="count", parts=())
SYSTEM_COLUMNS = (
    _WIN_RATE(name="win_rate_people", title="people alone"),
    _WIN_RATE(name="win_rate", title="with the judge"),
    _EFFECTIVE_N(name="win_rate_effective_n", group="Win rate", definition="diagnostics/#win_rate_effective_n"),
    _SCORE(name="score_people", title="people alone"),
    _SCORE(name="score", title="with the judge"),
    _EFFECTIVE_N(name="score_effective_n", group="Bradley-Terry score", definition="diagnostics/#score_effective_n"),
)
_ALONE = partial(Column, definition="diagnostics/#judge_alone")
ERROR_COLUMNS = (
    _ALONE(name="judge_alone", title="Judge alone", reference=0.5),
    _ALONE(name="sensitivity", title="Sensitivity"),
    _ALONE(name="specificity", title="Specificity"),
    _ALONE(name="rogan_gladen", title="Corrected", reference=0.5),
)
UNJUDGED_COLUMNS = (Column(name="win_rate", title="Win rate", definition="diagnostics/#half_width", reference=0.5),)
LABELLED = Column(
    name="labelled_pairs", title="Pairs with votes", kind="count", definition="diagnostics/#labelled_pairs"
)
BIN_COLUMNS = (
    _COEFFICIENT(name="mean_p_first", title="Mean", definition="diagnostics/#bins"),
    Column(name="share_first", title="People prefer the first", definition="diagnostics/#bins"),
)
DIFFERENCE_COLUMNS = (
    _COEFFICIENT(name="mean", title="Mean difference", definition="diagnostics/#score_differences"),
    _COEFFICIENT(name="deviation", title="Standard deviation", definition="diagnostics/#score_differences"),
)
CYCLE_COLUMNS = (
    Column(name="cyclic", title="Cycles", kind="count", definition="diagnostics/#contexts"),
    Column(name="triads", title="Triads", kind="count", definition="diagnostics/#contexts"),
)
FIT_HEAD = (
    "All people and judges on this attribute, fitted on one Bradley-Terry scale. 1 is what the scale expects; above "
    "{1:g} answers are noisier, below {0:g} they follow the scale more closely than chance allows. With few answers, "
    "values outside this range may be chance."
).format(*USUAL_RANGE)
CHOSEN_PAIRS_HEAD = (
    "This run chose its pairs by its own answers, which inflates the reliability of its scores. These figures "
    "therefore use only the pairs drawn at random; the scores of the run use all pairs."
)
POWERED_HEAD = (
    "The judge’s answers narrow the intervals of human preference. These are valid for any judge, if the pairs or "
    "contexts with votes were drawn at random. “Effective n” is the number of pairs that people alone would need for "
    "the same error."
)
ERRORS_HEAD = (
    "Win rates by the judge alone, how often it is right where people prefer the system and where they prefer the "
    "other, and the rate corrected for both. The estimates above are narrower. The correction is unusable where the "
    "judge is near chance."
)
SPLITS_NOTE = (
    "Split-half: correlation between the scores from two random halves of the pairs, corrected to the whole; its "
    "interval is the middle 95 % of the splits. Separation: share of the variance of the scores that is not error; it "
    "counts the two orders of a pair as two answers, and is too high if they agree."
)


def rater_fit_table(raters: Sequence[RaterFitRow]) -> Table:
    """Return the fit of every rater: judges, then people, those with the most answers first."""
    ordered = sorted(raters, key=lambda rater: (rater.kind != "judge", -(rater.infit.n or 0)))
    rows = tuple(_rater_row(rater) for rater in ordered)
    return Table(("Rater",), FIT_COLUMNS, rows, heads=(FIT_HEAD,))


def _rater_row(rater: RaterFitRow) -> Row:
    return Row(
        (rater.name,),
        (rater.infit, rater.outfit),
        section="Judges" if rater.kind == "judge" else "People",
        detail=OUTSIDE if rater.outside_usual_range else "",
        href=reverse("run-diagnostics", args=[rater.run]) if rater.run else "",
    )


def reliability_table(reliability: Mapping[str, Reliability], *, chose_pairs: bool) -> Table:
    """Return the reliability of the scores by each ranking. chose_pairs: the run chose pairs by its own answers."""
    rows = tuple(_figures_row(ranking_title(name), one, RELIABILITY_COLUMNS) for name, one in reliability.items())
    heads = (CHOSEN_PAIRS_HEAD,) if chose_pairs else ()
    return Table(("Ranking",), RELIABILITY_COLUMNS, rows, notes=(SPLITS_NOTE,), heads=heads)


def systems_table(powered: PredictionPowered) -> Table:
    """Return each system's win rate and score, by people alone and with the judge."""
    rows = tuple(
        Row((one.system,), (Figure(one.labelled_pairs), *(getattr(one, column.name) for column in SYSTEM_COLUMNS)))
        for one in powered.systems
    )
    votes = (
        f"People voted on {powered.labelled_pairs:,} of the pairs of two systems, in {powered.labelled_contexts:,} "
        f"contexts; the judge alone answered {powered.other_pairs:,} more."
    )
    return Table(("System",), (LABELLED, *SYSTEM_COLUMNS), rows, heads=(f"{votes} {POWERED_HEAD}",))


def errors_table(powered: PredictionPowered) -> Table:
    """Return each system's win rate by the judge, its errors, and the rate corrected for them."""
    rows = tuple(_figures_row(one.system, one, ERROR_COLUMNS) for one in powered.systems)
    return Table(("System",), ERROR_COLUMNS, rows, heads=(ERRORS_HEAD,))


def unjudged_table(unjudged: UnjudgedSystems) -> Table:
    """Return the win rates of systems that no person judged."""
    rows = tuple(_figures_row(one.system, one, UNJUDGED_COLUMNS) for one in unjudged.systems)
    return Table(("System",), UNJUDGED_COLUMNS, rows)


def bins_table(bins: Sequence[CalibrationBin]) -> Table:
    """Return the figures of the reliability diagram."""
    rows = tuple(_figures_row(_range(one, digits=1), one, BIN_COLUMNS) for one in bins)
    return Table((PART_TITLE,), BIN_COLUMNS, rows)


def differences_table(parts: Sequence[DifferencesAtP]) -> Table:
    """Return mean and spread of the differences of human scores at each p."""
    rows = tuple(_figures_row(_range(one, digits=2), one, DIFFERENCE_COLUMNS) for one in parts)
    return Table((PART_TITLE,), DIFFERENCE_COLUMNS, rows)


def cycles_table(contexts: Sequence[CyclicContext], *, run: int) -> Table:
    """Return the contexts with the most cycles. Each leads to its comparisons. run: its number."""
    page = reverse("run-comparisons", args=[run])
    rows = tuple(
        Row(
            (one.context,),
            (Figure(one.cyclic), Figure(one.triads)),
            href=f"{page}?{urlencode({'context': one.context})}",
        )
        for one in contexts
    )
    return Table(("Context",), CYCLE_COLUMNS, rows)


def _figures_row(name: str, figures: object, columns: Sequence[Column]) -> Row:
    return Row((name,), tuple(getattr(figures, column.name) for column in columns))


def _range(part: CalibrationBin | DifferencesAtP, *, digits: int) -> str:
    return f"{coefficient(part.low, digits)} to {coefficient(part.high, digits)}"


HEIGHT = 440


def reliability_chart(bins: Sequence[CalibrationBin], before: Sequence[CalibrationBin] = ()) -> Chart | None:
    """Draw how often people prefer the first against the judge's probability. None when no part has both.

    before: of the judge that is calibrated, drawn dotted.
    """
    parts, earlier = ([part for part in some if part.share_first.value is not None] for some in (bins, before))
    if not parts:
        return None
    total = sum(part.share_first.n or 0 for part in parts)
    layout = {
        "height": HEIGHT,
        "xaxis": {"title": "p, as the judge says", "range": [-0.02, 1.02]},
        "yaxis": {"title": "People prefer the first", "range": [-0.04, 1.04], "tickformat": ".0%"},
    }
    note = f"{total:,} comparisons; bars: 95 % intervals over contexts."
    traces = [diagonal_trace(), reliability_trace(parts)]
    if earlier:
        traces.append(reliability_trace(earlier, place=1, dash="dot"))
        note = f"{note} Dotted: before calibration."
    return figure(traces, layout, name="reliability", note=note)


def reliability_trace(parts: Sequence[CalibrationBin], place: int = 0, dash: str = "solid") -> Trace:
    """Return the line of a judge. place: of its colour."""
    colour = line_colour(place)
    shares = [part.share_first for part in parts]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [part.mean_p_first.value for part in parts],
        "y": [share.value for share in shares],
        "customdata": [share.n for share in shares],
        "marker": {"color": colour, "size": 9},
        "line": {"color": colour, "width": 1, "dash": dash},
        "error_y": interval_bars(shares, color=colour, thickness=2, width=4),
        "hovertemplate": "judge %{x:.3f}, people %{y:.1%}, n = %{customdata}<extra></extra>",
    }


def joint_chart(joint: ScoreDifferences) -> Chart | None:
    """Draw p and the difference of human scores together, with the mean difference at each p."""
    if not joint.counts:
        return None
    x, y = middles(joint.p_edges), middles(joint.difference_edges)
    total = sum(map(sum, joint.counts))
    layout = {
        "height": HEIGHT,
        "xaxis": {"title": "p, as the judge says", "range": [0, 1]},
        "yaxis": {"title": "Human score, first minus second"},
        "coloraxis": shades_of_counts(max(map(max, joint.counts)), noun="comparisons"),
    }
    return figure(
        [
            counts_trace(x, y, joint.counts, hover="p near %{x:.3f}, difference near %{y:.2f}: %{text}"),
            means_trace(x, joint.by_p_first),
        ],
        layout,
        name="joint",
        note=f"{total:,} comparisons; dots: mean differences; bars: standard deviations.",
        narrow={"coloraxis": {"showscale": False}},
    )


def means_trace(x: Sequence[float], parts: Sequence[DifferencesAtP]) -> Trace:
    """Draw the mean difference at each P(first), with its standard deviation."""
    colour = line_colour(1)
    drawn = [(at, part) for at, part in zip(x, parts, strict=True) if part.mean.value is not None]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [at for at, _ in drawn],
        "y": [part.mean.value for _, part in drawn],
        "marker": {"color": colour, "size": 7},
        "line": {"color": colour, "width": 2},
        "error_y": {
            "type": "data",
            "array": [part.deviation.value or 0 for _, part in drawn],
            "color": colour,
            "thickness": 1.5,
            "width": 3,
        },
        "hovertemplate": "mean difference %{y:.2f} at p near %{x:.3f}<extra></extra>",
    }
