"""One family of models, as it was measured."""

from dataclasses import dataclass


@dataclass(frozen=True)
class FamilyLine:
    """One family in one precision.

    batching, note: as a run notes them. difference: largest difference of P(first) from plain transformers.
    padded_difference: that of the usual padded batches. ratio: seconds of padded batches over ours, for a prompt.
    wanted: the least ratio that we aim at; 0 for any.
    """

    model_type: str
    models: str
    dtype: str
    batching: str
    note: str
    difference: float
    padded_difference: float
    seconds: float
    ratio: float
    wanted: float = 0.0

    def __str__(self) -> str:
        return (
            f"{self.model_type:18}{self.dtype:10}{self.batching:25}{self.difference:9.0e}{self.padded_difference:9.0e}"
            f"{self.seconds:9.4f}{self.ratio:7.1f}  {self.note}"
        )
