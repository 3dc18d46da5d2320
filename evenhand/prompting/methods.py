"""The methods of asking a judge, one record each. docs/reference/methods.md explains them.

A method whose answers are read in a known way needs one record here and one prompt in evenhand/prompting/prompts/.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from types import MappingProxyType

PAIR = frozenset({"<A>", "<B>"})
ONE = frozenset({"<A>"})
NOTHING: frozenset[str] = frozenset()
CONTEXT = frozenset({"<context>"})
WITH_CRITERIA = CONTEXT | {"<metrics>"}


class Reading(Enum):
    """The number that is taken as a judge's answer."""

    WORDS = "words"
    """The probability of the first of two label words."""
    SCALE = "scale"
    """The mean of a scale of whole numbers, weighted with their probabilities."""
    LIKELIHOOD = "likelihood"
    """The mean log-probability of the candidate's own tokens after the prompt."""
    DECISION = "decision"
    """The probability of the first of two choices, from a decision model that words the request itself."""
    METRIC = "metric"
    """The score of a metric, which reads no prompt."""
    NOTHING = "nothing"
    """None: other prompts show the text that the judge writes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One way to ask a judge.

    name: its name in commands, files and reports.
    title: its name on pages, as its authors write it.
    description: the task of the judge, in a few words.
    source: key of rankings/citations/references.bib; empty if there is none.
    reading: how an answer is read.
    is_scoring: True if each candidate gets a score of its own; False if pairs are compared.
    template: placeholders that its template must contain.
    optional: further placeholders that its templates may contain, besides words.
    reasoning: placeholders that the template of its reasoning must contain: one text, both, or none; None for a method
        without reasoning.
    reasoning_tokens: the most tokens of one reasoning.
    """

    name: str
    title: str
    description: str
    source: str = ""
    reading: Reading = Reading.WORDS
    is_scoring: bool = False
    template: frozenset[str]
    optional: frozenset[str] = WITH_CRITERIA
    reasoning: frozenset[str] | None = None
    reasoning_tokens: int = 0

    @property
    def default_prompt(self) -> str:
        """The prompt of a run that names none."""
        return "against-reference" if self.is_metric else f"{self.name}-1"

    @property
    def asks(self) -> bool:
        """True if it gives answers; False for prompts that only prepare those of other methods."""
        return self.reading is not Reading.NOTHING

    @property
    def is_metric(self) -> bool:
        """True if a metric measures the texts, and no judge reads a prompt."""
        return self.reading is Reading.METRIC

    @property
    def reads_decision(self) -> bool:
        """True if only a decision model answers it, at an endpoint."""
        return self.reading is Reading.DECISION

    @property
    def reads_scale(self) -> bool:
        return self.reading is Reading.SCALE

    @property
    def reads_likelihood(self) -> bool:
        return self.reading is Reading.LIKELIHOOD

    @property
    def has_labels(self) -> bool:
        """True if its prompts have label words. Only such answers can be sampled as text."""
        return self.reading in (Reading.WORDS, Reading.SCALE)

    @property
    def takes_ties(self) -> bool:
        """True if a prompt may offer a third label word for a tie."""
        return self.reading is Reading.WORDS and not self.is_scoring

    @property
    def takes_criteria(self) -> bool:
        """True if criteria that the judge wrote itself may be put in front."""
        return "<metrics>" in self.optional

    @property
    def takes_own_prompts(self) -> bool:
        """True if people may add prompts."""
        return not self.is_metric

    @property
    def runs_at_endpoints(self) -> bool:
        """False if it needs probabilities of texts that the judge did not write, which no endpoint gives."""
        return not self.reads_likelihood

    @property
    def reasons(self) -> bool:
        """True if the judge writes before it answers."""
        return self.reasoning is not None

    @property
    def reasons_about_texts(self) -> bool:
        """True if a reasoning is about one candidate or about a pair."""
        return bool(self.reasoning)

    @property
    def reasons_about_pairs(self) -> bool:
        """True if a reasoning is about a pair."""
        return self.reasoning == PAIR

    @property
    def reasons_once(self) -> bool:
        """True if one reasoning, written before any text is shown, serves all texts."""
        return self.reasoning == NOTHING

    def in_one_reply(self) -> "Method":
        """Return the method without reasoning about the pair beforehand: the reply holds it."""
        if not self.reasons_about_pairs:
            return self
        return replace(self, template=self.template - {"<reasoning>"}, reasoning=None, reasoning_tokens=0)

    def known(self, *, reasoning: bool) -> frozenset[str]:
        """The placeholders for texts that its template may contain, or the template of its reasoning."""
        if not reasoning:
            return self.template | self.optional
        return self.reasoning | self.optional if self.reasoning else NOTHING


_RECORDS = (
    Method(
        name="comparative",
        title="Comparative",
        description="which of two texts is better",
        source="Liusie2024",
        template=PAIR,
    ),
    Method(
        name="pairwise",
        title="Pairwise",
        description="which is better, by general rules",
        source="Jeong2024",
        template=PAIR,
    ),
    Method(
        name="cot",
        title="Chain of thought",
        description="explains first, then decides",
        source="Jeong2024",
        template=PAIR | {"<reasoning>"},
        reasoning=PAIR,
        reasoning_tokens=256,
    ),
    Method(
        name="prepair",
        title="PRePair",
        description="analyses each text alone first",
        source="Jeong2024",
        template=PAIR | {"<analysis A>", "<analysis B>"},
        reasoning=ONE,
        reasoning_tokens=256,
    ),
    Method(
        name="prepair-star",
        title="PRePair*",
        description="analyses both in one text first",
        source="Jeong2024",
        template=PAIR | {"<reasoning>"},
        reasoning=PAIR,
        reasoning_tokens=512,
    ),
    Method(
        name="decision",
        title="Decision",
        description="asks a decision model, which writes nothing",
        reading=Reading.DECISION,
        template=PAIR,
        optional=CONTEXT,
    ),
    Method(
        name="scoring",
        title="Scoring",
        description="scores each text, 1 to 10",
        source="Liusie2024",
        reading=Reading.SCALE,
        is_scoring=True,
        template=ONE,
    ),
    Method(
        name="pointwise",
        title="Pointwise",
        description="scores each text by rules, 1 to 5",
        source="Jeong2024",
        reading=Reading.SCALE,
        is_scoring=True,
        template=ONE,
    ),
    Method(
        name="geval",
        title="G-Eval",
        description="writes steps, scores each text, 1 to 5",
        source="Liu2023",
        reading=Reading.SCALE,
        is_scoring=True,
        template=ONE | {"<reasoning>"},
        optional=CONTEXT,
        reasoning=NOTHING,
        reasoning_tokens=512,
    ),
    Method(
        name="unieval",
        title="UniEval",
        description="asks of each text, yes or no",
        source="Zhong2022",
        is_scoring=True,
        template=ONE,
        optional=CONTEXT,
    ),
    Method(
        name="gptscore",
        title="GPTScore",
        description="how likely each text is",
        source="Fu2023",
        reading=Reading.LIKELIHOOD,
        is_scoring=True,
        template=NOTHING,
        optional=CONTEXT,
    ),
    Method(
        name="metric",
        title="Metric",
        description="what a metric measures",
        reading=Reading.METRIC,
        is_scoring=True,
        template=ONE,
        optional=CONTEXT | {"<reference>"},
    ),
    Method(
        name="metrics",
        title="Self-generated criteria",
        description="the judge's own criteria, written for each context",
        source="Zeng2024",
        reading=Reading.NOTHING,
        template=frozenset({"<metrics>"}),
        optional=NOTHING,
        reasoning=CONTEXT,
        reasoning_tokens=150,
    ),
)

PROMPTED: Mapping[str, Method] = MappingProxyType({method.name: method for method in _RECORDS})
"""All methods that have prompts, by name."""

METHODS: Mapping[str, Method] = MappingProxyType({method.name: method for method in _RECORDS if method.asks})
"""The methods that give answers, by name."""

COMPARATIVE = METHODS["comparative"]
"""The default method of a judge that is a model."""

METRIC = METHODS["metric"]
"""The method of a judge that is a metric."""

CRITERIA = PROMPTED["metrics"]
"""Prompts by which a judge writes its own criteria first."""


def asked_method(name: str, *, one_reply: bool) -> Method:
    """Return a method as a prompt asks it. Raises KeyError for an unknown method.

    one_reply: the judge writes its reasoning about the pair and its verdict in one reply.
    """
    return PROMPTED[name].in_one_reply() if one_reply else PROMPTED[name]


def method_names(methods: Iterable[Method]) -> str:
    """The names of some methods in a sentence: "geval, unieval and metric"."""
    *some, last = (method.name for method in methods)
    return f"{', '.join(some)} and {last}" if some else last
