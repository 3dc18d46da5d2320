"""The methods with their options, and the two datasets."""

from dataclasses import dataclass

SAMPLED = ("--samples", "5", "--temperature", "1")
NATURAL, SUMMEVAL = "LLMBar Natural", "SummEval"


@dataclass(frozen=True, slots=True)
class Way:
    """A method with its options."""

    method: str
    options: tuple[str, ...] = ()

    @property
    def samples(self) -> bool:
        return "--samples" in self.options

    @property
    def name(self) -> str:
        """The name in the table."""
        return " ".join((self.method, *self.options))

    @property
    def arguments(self) -> tuple[str, ...]:
        return ("--method", self.method, *self.options)


@dataclass(frozen=True, slots=True)
class Task:
    """A dataset with the options that limit its contexts and the pairs within a context, for each level from 0 to 2."""

    dataset: str
    attribute: str
    contexts: tuple[tuple[str, ...], ...]
    pairs: tuple[tuple[str, ...], ...]


TASKS = (
    Task(NATURAL, "overall", ((), ("--contexts", "10"), ("--contexts", "2")), ((), (), ())),
    Task(
        SUMMEVAL,
        "coherence",
        (("--contexts", "1"),) * 3,
        ((), *(("--selection", "symmetric", "--comparisons", number) for number in ("16", "4"))),
    ),
)
WAYS = (
    Way("comparative"),
    Way("comparative", ("--prompt", "comparative-tie-1")),
    Way("comparative", SAMPLED),
    Way("comparative", ("--metrics",)),
    Way("pairwise"),
    Way("pairwise", ("--metrics",)),
    Way("cot"),
    Way("prepair"),
    Way("prepair", ("--metrics",)),
    Way("prepair-star"),
    Way("scoring"),
    Way("scoring", SAMPLED),
    Way("pointwise"),
    Way("pointwise", ("--metrics",)),
    Way("geval"),
    Way("unieval"),
    Way("gptscore"),
)
AGAINST = (("--against", "reference"), ("--against", "context"))
ALONE = ("--prompt", "text-alone")
