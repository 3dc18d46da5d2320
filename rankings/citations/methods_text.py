"""The methods paragraph of a paper, written from what runs really used."""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import reduce
from operator import and_

from django.db.models import Exists, OuterRef, QuerySet

from evalsite import __version__
from evenhand.formats import DATASET_FORMATS
from evenhand.numerics import RANKINGS
from evenhand.prompting.methods import METHODS, Method, Reading
from judging.models import NOTHING_LEFT_OUT, Campaign, Candidate, Comparison, Context, Dataset, Run, Score
from judging.services.campaigns.campaign_history import campaign_history
from rankings.citations.author_year import CITATION, EVENHAND, bibtex_of
from rankings.looks.looks_report import looks_report
from rankings.report.left_out import excluded_votes_notes, left_out_notes
from rankings.report.report_row import ReportRow
from rankings.tables.latex_table import escaped

METRIC_SOURCES = {
    "bleu": "Papineni2002, Post2018",
    "chrf": "Popovic2015, Post2018",
    "rouge": "Lin2004",
    "meteor": "Banerjee2005",
    "bertscore": "Zhang2020",
}
"""start of a metric's name -> keys of its sources."""
READINGS = {
    Reading.WORDS: "answers are the probabilities of the label words",
    Reading.SCALE: "scores are the mean of the scale, weighted with the probabilities of its values",
    Reading.DECISION: "answers are the probabilities that a decision model gives its two choices; the wording around "
    "the question is the server's",
    Reading.LIKELIHOOD: "scores are the mean log-probability of the tokens of the text",
}
SELECTION_PHRASES = {
    "full": "all ordered pairs of each context",
    "as-given": "each pair once, in the order of the dataset",
    "random": "random ordered pairs",
    "no-repeat": "random pairs, each in one order",
    "symmetric": "random pairs, each in both orders",
    "d-optimal": "D-optimal pairs [@Liusie2024b]",
    "bt-optimal": "pairs chosen by the earlier answers, with random pairs held out for evaluation",
    "until-sure": "pairs chosen by the earlier answers, until asking the rest would hardly change the ranking "
    "[@Fathullah2025]",
    "anchor": "each text with one system, in both orders [@DonYehiya2026]",
    "null-pairs": "each text with itself",
    "pairs": "the pairs that a merge sort by its answers needs, as in PairS [@Liu2024]",
}
JURY_RULES = {
    "majority": "the majority of their decisions",
    "mean": "the mean of their probabilities",
    "product": "a product of experts, the mean of their log-odds",
    "weighted": "a Bradley-Terry model with a weight and a bias for each, learned from people's preferences on other "
    "contexts (five folds)",
}
JURY_SOURCES = {"weighted": "Qian2026"}


@dataclass(frozen=True)
class MethodsText:
    """A paragraph for a paper with its sources. markdown: with citations as Pandoc reads them."""

    markdown: str
    latex: str
    bibtex: str

    @classmethod
    def of(cls, paragraph: str) -> "MethodsText":
        """Write a paragraph with citations such as [@Liusie2024] in every format."""
        keys = [key for group in CITATION.findall(paragraph) for key in group.split("; @")]
        parts = CITATION.split(paragraph)
        latex = "".join(
            f"\\cite{{{part.replace('; @', ',')}}}" if at % 2 else escaped(part) for at, part in enumerate(parts)
        )
        return cls(paragraph, latex, bibtex_of(keys))


EVERY_FIGURE = frozenset({"accuracy", "debiased", "correlations", "looks"})
"""The figures that a methods paragraph describes. With "tests" it also describes the test behind †."""


def methods_text(
    dataset: Dataset,
    runs: Sequence[Run],
    rows: Sequence[ReportRow],
    *,
    ranking: str,
    shown: Set[str] = EVERY_FIGURE,
) -> MethodsText:
    """Write the methods paragraph of some runs. rows: of the same runs. ranking: of the reported correlations."""
    whole = [row for row in rows if row.is_whole]
    sentences = [
        _about_dataset(dataset, runs, whole),
        *left_out_notes((row.name.run, row.without) for row in whole),
        *excluded_votes_notes((row.name.attribute, row.excluded_votes) for row in whole),
        *_about_campaigns(dataset, runs),
        *_about_judges(runs),
        *_about_methods(runs),
        *_about_selections(runs),
        *_about_answers(whole),
        *_about_figures(whole, ranking, shown),
        *([looks_report(dataset, Run.objects.none()).sentence] if dataset.split and "looks" in shown else []),
        f"All figures are computed with Evenhand {__version__} {_cited(EVENHAND)}.",
    ]
    return MethodsText.of(" ".join(sentences))


def _cited(sources: str) -> str:
    """Write the keys in a text such as "Liusie2024, appendix B" as a citation."""
    keys = re.findall(r"[A-Z]\w*\d{4}[a-z]?|Evenhand", sources)
    return f"[{'; '.join(f'@{key}' for key in keys)}]" if keys else ""


def _listed(names: Iterable[object]) -> str:
    """Write names as "a, b and c"."""
    *others, last = dict.fromkeys(map(str, names))
    return f"{', '.join(others)} and {last}" if others else last


def _about_dataset(dataset: Dataset, runs: Sequence[Run], rows: Sequence[ReportRow]) -> str:
    """Count the contexts and candidates of the runs without what all of them leave out."""
    exclusions = [row.without.exclusion if row.without else NOTHING_LEFT_OUT for row in rows]
    left_out = reduce(and_, exclusions) if exclusions else NOTHING_LEFT_OUT
    source = DATASET_FORMATS[dataset.source_format].source if dataset.source_format in DATASET_FORMATS else ""
    contexts = dataset.contexts.count()
    candidates_left = Candidate.objects.exclude(left_out.matches())
    judged_contexts = _judged_contexts(dataset, runs).filter(Exists(candidates_left.filter(context=OuterRef("pk"))))
    judged, candidates = judged_contexts.count(), candidates_left.filter(context__in=judged_contexts).count()
    number = f"{judged:,} of the {contexts:,}" if judged < contexts else f"all {contexts:,}"
    name = f"{dataset.name} {_cited(source)}".strip()
    attributes = _listed(run.attribute.name for run in runs)
    return f"We use {number} contexts of {name}, with {candidates:,} candidates, judged on {attributes}."


def _about_campaigns(dataset: Dataset, runs: Sequence[Run]) -> Iterator[str]:
    """Name each change of a running campaign on the attributes of the runs."""
    asked = Campaign.objects.filter(dataset=dataset, attributes__in={run.attribute_id for run in runs})
    for campaign in asked.distinct().order_by("pk"):
        what = f"A campaign of people’s {campaign.answer_noun}s"
        for number, one in enumerate(campaign_history(campaign)):
            yield f"{'It' if number else what} changed on {one.said}."


def _judged_contexts(dataset: Dataset, runs: Sequence[Run]) -> QuerySet[Context]:
    """Return the contexts with an answer, an unparsed answer or an error in some run."""
    compared, scored = (kind.objects.filter(context=OuterRef("pk"), run__in=runs) for kind in (Comparison, Score))
    return dataset.contexts.filter(Exists(compared) | Exists(scored))


def _about_judges(runs: Sequence[Run]) -> Iterator[str]:
    judges = {run.judge_id: run for run in runs}
    recorded = [run.judge.name for run in judges.values() if run.judge.is_recorded]
    if recorded:
        yield f"The judgments of {_listed(recorded)} were recorded elsewhere and imported."
    for run in judges.values():
        if run.judge.can_be_asked:
            yield _about_judge(run)
    yield from (_about_jury(run) for run in runs if run.judge.is_jury)


def _about_jury(run: Run) -> str:
    """Describe a jury by its members and its rule."""
    members = _listed(f"{one['judge']} ({one['prompt']})" for one in run.spec["jury"]["members"])
    cited = f" [@{JURY_SOURCES[run.prompt_name]}]" if run.prompt_name in JURY_SOURCES else ""
    return f"{run.judge.name} combines the answers of {members} by {JURY_RULES[run.prompt_name]}{cited}."


def _about_judge(run: Run) -> str:
    """Describe a judge by what its run recorded."""
    judge, environment = run.judge, run.environment
    model = judge.model.rstrip("/").rpartition("/")[2] if judge.model.startswith("/") else judge.model
    if judge.is_metric:
        sources = next((keys for start, keys in METRIC_SOURCES.items() if judge.model.startswith(start)), "")
        signature = environment.get("signature")
        return f"{judge.name} is the metric {model} {_cited(sources)}{f', {signature}' if signature else ''}."
    revision = f", revision {environment['revision'][:19]}" if environment.get("revision") else ""
    if judge.is_endpoint:
        return (
            f"{judge.name} is the model {model}{revision}, behind an OpenAI-compatible endpoint{_about_requests(run)}."
        )
    tools = [
        f"{title} {environment[name]} {_cited(source)}"
        for name, title, source in (("transformers", "Transformers", "Wolf2020"), ("torch", "PyTorch", "Paszke2019"))
        if environment.get(name)
    ]
    precision = f" in {environment['dtype']}" if environment.get("dtype") else ""
    return f"{judge.name} is the model {model}{revision}{precision}{f', run with {_listed(tools)}' if tools else ''}."


def _about_requests(run: Run) -> str:
    """Describe in what an endpoint's answers differ from greedy, free ones; empty for nothing."""
    notes = []
    if run.environment.get("forced_choice"):
        notes.append("which allowed label words only as answers")
    if "temperature" in run.environment.get("refused", {}) and run.samples is None:
        notes.append("at its own sampling temperature")
    return "".join(f", {note}" for note in notes)


def _about_methods(runs: Sequence[Run]) -> Iterator[str]:
    by_method: dict[str, list[Run]] = {}
    for run in runs:
        by_method.setdefault(run.method, []).append(run)
    yield from (_about_method(name, of_method) for name, of_method in by_method.items())
    for temperature, samples in dict.fromkeys((run.temperature, run.samples) for run in runs if run.temperature):
        answers = f"{samples} samples per answer are drawn" if samples else "text is written"
        yield f"In some runs, {answers} at temperature {temperature:g}."
    yield from _about_thinking(runs)


def _about_method(name: str, runs: Sequence[Run]) -> str:
    """Describe a method. Of recorded judgments, only its name is known. Sampled answers are no probabilities."""
    names = {run.prompt_name for run in runs}
    prompts = f"prompt{'s' if len(names) > 1 else ''} {_listed(run.prompt_name for run in runs)}"
    method = METHODS.get(name)
    if method is None and all(run.judge.is_jury for run in runs):
        return f"The method {name} asks no judge: it combines the answers of other runs."
    if method is None or all(run.judge.is_recorded for run in runs):
        return f"The method is recorded as {name}, with the {prompts}."
    reading = _reading_of(method, runs)
    ending = f"; {reading}" if reading else ""
    return f"The method is {method.title} {_cited(method.source)} ({method.description}) with the {prompts}{ending}."


def _reading_of(method: Method, runs: Sequence[Run]) -> str | None:
    """Describe how answers are read; None if they are sampled or if the runs differ."""
    if any(run.samples is not None for run in runs):
        return None
    if all(run.asks_one_reply for run in runs):
        return "reasoning and verdict are written in one reply, and the verdict is read from it"
    return None if any(run.asks_one_reply for run in runs) else READINGS.get(method.reading)


def _about_thinking(runs: Sequence[Run]) -> Iterator[str]:
    """Describe the thinking of judges, and the judges that are kept from it."""
    settings = dict.fromkeys((run.thinking.tokens, run.thinking.effort) for run in runs if run.thinking)
    where = "" if all(run.thinking for run in runs) else "In some runs, "
    for tokens, effort in settings:
        with_effort = f" with reasoning effort {effort}" if effort else ""
        sentence = f"the judge thinks for at most {tokens:,} tokens{with_effort} before each answer"
        yield f"{where}{sentence if where else sentence.capitalize()}; its answer is read after the thinking."
    kept = dict.fromkeys(
        (run.judge.name, run.environment["without_thinking"])
        for run in runs
        if run.thinking is None and run.environment.get("without_thinking")
    )
    for judge, how in kept:
        yield f"{judge} answers without thinking ({how})."


def _about_selections(runs: Sequence[Run]) -> Iterator[str]:
    compared = [run for run in runs if run.selection in SELECTION_PHRASES and not run.is_scoring]
    for rule, comparisons in dict.fromkeys((run.selection, run.comparisons_per_context) for run in compared):
        number = f", {comparisons:,} comparisons per context" if comparisons else ""
        yield f"The judge compares {SELECTION_PHRASES[rule]}{number}."


def _about_answers(rows: Sequence[ReportRow]) -> Iterator[str]:
    answers = sum(row.counts.comparisons for row in rows)
    unparsed, errors = sum(row.counts.unparsed for row in rows), sum(row.counts.errors for row in rows)
    if any(row.order for row in rows):
        yield "Only comparisons in the dataset's order of candidates are read."
    treatment = "count as wrong in every accuracy" if any(row.unparsed_as for row in rows) else "are excluded"
    yield f"There are {answers:,} answers; unparsed answers ({unparsed:,}) and errors ({errors:,}) {treatment}."


def _about_figures(rows: Sequence[ReportRow], ranking: str, shown: Set[str]) -> Iterator[str]:
    if "accuracy" in shown and any(row.accuracy.value is not None for row in rows):
        yield "Accuracy is the share of comparisons with a human preference that the judge decides in the same way."
    if "debiased" in shown and any(row.threshold.value is not None for row in rows):
        yield f"Debiased figures take the run’s median probability p as the threshold {_cited('Liusie2024')}."
    blocks = [row.spearman[ranking].raw for row in rows if ranking in row.spearman]
    if "correlations" in shown and ranking in RANKINGS and any(block.per_context is not None for block in blocks):
        record = RANKINGS[ranking]
        yield f"Candidates are ranked by {record.title} {_cited(record.source)}; correlations are means over contexts."
    if any(row.accuracy.low is not None for row in rows):
        yield (
            f"95 % intervals are over contexts: Wilson's for shares {_cited('Wilson1927')}, Student's for means "
            f"{_cited('Cochran1977')}, and a bootstrap for all others {_cited('Efron1993')}."
        )
    if "tests" in shown:
        yield (
            "† marks figures that are not significantly worse than the best: two-sided tests by random signs of the "
            f"contexts' differences {_cited('Fisher1935')}, adjusted by Holm's method {_cited('Holm1979')}."
        )
