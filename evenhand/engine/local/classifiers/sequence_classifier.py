"""Load a sequence classifier, and run it over texts in batches."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import transformers
from torch import Tensor
from transformers import AutoModelForSequenceClassification, PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerBase

from evenhand.engine.exceptions import LoadFailed
from evenhand.engine.local.batching import Indices, run_packed
from evenhand.engine.local.loading import (
    find_device,
    load_config,
    load_tokenizer,
    longest_window,
    require_all_weights,
    require_unquantised,
)
from evenhand.engine.local.model.model_classes import classifier_architecture
from evenhand.engine.local.model.model_files import (
    at_commit,
    explaining,
    file_options,
    resolved_revision,
    source_of,
)
from evenhand.engine.local.model.model_traits import LARGEST_LEAK, takes_input, vocabulary_size
from evenhand.engine.local.tensors import right_padded
from evenhand.engine.local.token_budgets import reporting_out_of_memory, token_budget
from evenhand.engine.questions.label_tokens import Ids
from evenhand.engine.settings import EngineDescription, EngineSettings

_TRIED = (9, 16)  # tokens of two texts


@dataclass(frozen=True, slots=True)
class EncodedText:
    """Tokens of a text, or of a pair of texts. types: 0 or 1 for each token of a pair; empty without token types."""

    ids: Ids
    types: Ids = ()


class SequenceClassifier:
    """A loaded classifier. labels: their names in the configuration, in the order of the numbers."""

    def __init__(self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> None:
        self.tokenizer = tokenizer
        self.limit = longest_window(model.config, tokenizer)
        self.labels = labels_of(model.config)
        self._model = model
        self._budget = token_budget(model)
        self._takes_types = takes_input(model, "token_type_ids")
        self._one_length = _padding_changes(self)

    @property
    def architecture(self) -> str:
        return type(self._model).__name__

    def encode(self, text: str, other: str | None = None, *, special: bool = True) -> EncodedText:
        """Return the tokens of a text, or of a pair. special: add the tokens that open, part and close texts."""
        encoded = self.tokenizer(text, other, add_special_tokens=special, verbose=False)
        return EncodedText(tuple(encoded.input_ids), tuple(encoded.get("token_type_ids", ())))

    def problem(self, text: EncodedText) -> str:
        """Return why a text cannot be classified; empty if it can."""
        if not text.ids:
            return "the text is empty"
        if self.limit is not None and len(text.ids) > self.limit:
            return f"the text is too long: it has {len(text.ids)} tokens, and the model takes {self.limit}"
        if max(text.ids) >= vocabulary_size(self._model):
            return "the tokenizer gives tokens that the model does not know; it belongs to another model"
        return ""

    def numbers(self, texts: Sequence[EncodedText]) -> list[list[float] | None]:
        """Return the number of each label for each text; None for a text that does not fit into memory."""
        lengths = [len(text.ids) for text in texts]

        def work(batch: Indices) -> list[list[float]]:
            with reporting_out_of_memory():
                rows: list[list[float]] = self.logits([texts[index] for index in batch]).tolist()
            return rows

        return run_packed(lengths, work, budget=self._budget, one_length=self._one_length)

    @torch.inference_mode()
    def logits(self, texts: Sequence[EncodedText]) -> Tensor:
        """Return the numbers of one batch, float32 (texts, labels)."""
        device, padding = self._model.device, self._model.config.get_text_config().pad_token_id
        ids, mask = right_padded([text.ids for text in texts], device=device, padding=padding or 0)
        inputs = {"input_ids": ids}
        if not bool(mask.all()):
            inputs["attention_mask"] = mask
        if self._takes_types and all(text.types for text in texts):
            inputs["token_type_ids"], _ = right_padded([text.types for text in texts], device=device)
        logits: Tensor = self._model(**inputs).logits
        return logits.float()


def _padding_changes(classifier: SequenceClassifier) -> bool:
    """Return True if only texts of equal length may share a batch, because padding changes the numbers or fails."""
    size = vocabulary_size(classifier._model)
    short, long = (EncodedText(tuple(3 + step * (size - 4) // length for step in range(length))) for length in _TRIED)
    try:
        alone, together = classifier.logits([short])[0], classifier.logits([short, long])[0]
    except Exception:  # without a padding token some refuse batches
        return True
    return not float((alone - together).abs().max()) <= LARGEST_LEAK[classifier._model.dtype]


def labels_of(config: PreTrainedConfig) -> tuple[str, ...]:
    """Return the names of a classifier's labels, in order."""
    return tuple(str(name) for _, name in sorted(config.id2label.items()))


def require_classifier(settings: EngineSettings, config: PreTrainedConfig) -> None:
    """Raise LoadFailed for another model than a sequence classifier, and for quantised weights."""
    require_unquantised(settings, config)
    if not classifier_architecture(config):
        named = ", ".join(config.architectures or []) or "no architecture"
        raise LoadFailed(f'the model "{settings.model}" is no sequence classifier: its config.json names {named}')


def load_classifier(settings: EngineSettings) -> SequenceClassifier:
    """Load tokenizer and weights. settings: the result of at_commit. Raises LoadFailed."""
    require_classifier(settings, load_config(settings))
    device = find_device(settings.device)
    tokenizer = load_tokenizer(settings)
    with explaining(settings, "weights"):
        model, info = AutoModelForSequenceClassification.from_pretrained(
            source_of(settings),
            dtype=getattr(torch, settings.dtype),
            output_loading_info=True,
            ignore_mismatched_sizes=True,
            **file_options(settings),
        )
    require_all_weights(settings, missing=info["missing_keys"], mismatched=info["mismatched_keys"])
    with explaining(settings):
        return SequenceClassifier(model.to(device).eval(), tokenizer)


def classifier_description(
    settings: EngineSettings, classifier: SequenceClassifier, *, signature: str = "", tokenizer: str = ""
) -> EngineDescription:
    """Describe a loaded classifier: as a metric with a signature, or as a judge with its tokenizer's fingerprint."""
    return EngineDescription(
        backend=settings.backend,
        family="metric" if signature else "classifier",
        architecture=classifier.architecture,
        model=settings.model,
        revision=resolved_revision(at_commit(settings)),
        dtype=settings.dtype,
        device=str(find_device(settings.device)),
        max_prompt_tokens=classifier.limit,
        chat_template=bool(classifier.tokenizer.chat_template),
        gives_probabilities=not signature,
        torch=str(torch.__version__),
        transformers=transformers.__version__,
        threads=torch.get_num_threads(),
        signature=signature,
        tokenizer=tokenizer,
    )
