"""BERTScore [Zhang2020]: match each token with the most similar token of the other text, by the states of one layer.

The package bert-score is not used, because it needs pandas and matplotlib. The scores equal its scores
(docs/reference/metrics.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
import transformers
from torch import Tensor
from torch.nn.functional import normalize
from transformers import AutoModel, PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerBase

from evenhand.engine.exceptions import LoadFailed
from evenhand.engine.local import loading
from evenhand.engine.local.batching import run_packed
from evenhand.engine.local.model import model_files
from evenhand.engine.local.tensors import right_padded
from evenhand.engine.local.token_budgets import reporting_out_of_memory, token_budget
from evenhand.engine.metrics import BERTSCORE_LAYERS, MetricName, MetricQuestion, metric_name
from evenhand.engine.questions.scale_questions import ScoreAnswer, ScoreBatch
from evenhand.engine.settings import EngineDescription, EngineSettings

_SPACED = ("RobertaTokenizer", "GPT2Tokenizer")
_OFFSET_POSITIONS = frozenset({"roberta", "xlm-roberta", "camembert"})
TokenPair = tuple[tuple[int, ...], tuple[int, ...]]
"""The tokens of a candidate, and of the other text."""

NO_ROOM = "this pair of texts does not fit into memory, even alone"


@dataclass(frozen=True, slots=True)
class Encoder:
    """A model cut off after a layer, and its tokenizer.

    limit: the most tokens of a text; None for no limit.
    """

    tokenizer: PreTrainedTokenizerBase
    model: PreTrainedModel
    limit: int | None
    description: EngineDescription

    def ids(self, text: str) -> tuple[int, ...]:
        """Return the tokens of a text like bert-score 0.3.13: stripped, with a space before it for some tokenizers."""
        stripped = text.strip()
        spaced = type(self.tokenizer).__name__.removesuffix("Fast") in _SPACED
        return tuple(self.tokenizer(f" {stripped}" if spaced else stripped, verbose=False).input_ids)


class BertScore:
    """F1 of greedily matched tokens, without idf weights or rescaling."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._budget = token_budget(encoder.model)

    def measure(self, questions: Sequence[MetricQuestion]) -> ScoreBatch:
        pairs = [(self._encoder.ids(question.candidate), self._encoder.ids(question.other)) for question in questions]
        problems = [self._problem(question, pair) for question, pair in zip(questions, pairs, strict=True)]
        fitting = [pair for pair, problem in zip(pairs, problems, strict=True) if not problem]
        lengths = [2 * max(map(len, pair)) for pair in fitting]
        values = iter(run_packed(lengths, lambda some: self._scores([fitting[n] for n in some]), budget=self._budget))
        answers = [
            ScoreAnswer(error=problem) if problem else _answer(next(values), len(pair[0]) + len(pair[1]))
            for pair, problem in zip(pairs, problems, strict=True)
        ]
        return ScoreBatch(tuple(answers), sum(len(text) for pair in fitting for text in pair))

    def describe(self) -> EngineDescription:
        return self._encoder.description

    def close(self) -> None:
        del self._encoder

    def _problem(self, question: MetricQuestion, pair: TokenPair) -> str:
        if not question.candidate.strip():
            return "the text is empty; it has no tokens to compare"
        limit, longest = self._encoder.limit, max(map(len, pair))
        if limit is not None and longest > limit:
            return f"a text is too long: it has {longest} tokens, and the model takes {limit}; nothing is cut off"
        return ""

    @torch.inference_mode()
    def _scores(self, pairs: Sequence[TokenPair]) -> list[float]:
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        with reporting_out_of_memory():
            ids, mask = right_padded(texts, device=self._encoder.model.device)
            states = self._encoder.model(input_ids=ids, attention_mask=mask).last_hidden_state
            unit = dict(zip(texts, normalize(states.float(), dim=-1), strict=True))
        return [
            greedy_f1(unit[candidate][: len(candidate)], unit[other][: len(other)], self._counts(candidate, other))
            for candidate, other in pairs
        ]

    def _counts(self, candidate: tuple[int, ...], other: tuple[int, ...]) -> tuple[Tensor, Tensor]:
        """Return which tokens count, bool. Tokens that open or close a text are matched, but do not count."""
        marks = {self._encoder.tokenizer.cls_token_id, self._encoder.tokenizer.sep_token_id}
        of_candidate, of_other = ([token not in marks for token in text] for text in (candidate, other))
        device = self._encoder.model.device
        return torch.tensor(of_candidate, device=device), torch.tensor(of_other, device=device)


def greedy_f1(candidate: Tensor, other: Tensor, counts: tuple[Tensor, Tensor]) -> float:
    """Return the F1 of greedy matching: each counted token with the most similar one of the other text [Zhang2020].

    candidate, other: unit states, (tokens, width). counts: bool (tokens,) for each of both.
    """
    similarity = candidate @ other.T  # (candidate's tokens, other's tokens)
    precision = float(similarity.amax(dim=1)[counts[0]].mean())
    recall = float(similarity.amax(dim=0)[counts[1]].mean())
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _answer(value: float | None, tokens: int) -> ScoreAnswer:
    return ScoreAnswer(error=NO_ROOM) if value is None else ScoreAnswer(score=value, prompt_tokens=tokens)


def load_bertscore(settings: EngineSettings) -> BertScore:
    """Load the model of BERTScore. Raises LoadFailed."""
    return BertScore(_load_encoder(settings, metric_name(settings.model)))


def require_bertscore(settings: EngineSettings) -> None:
    """Raise LoadFailed if the layer, the tokenizer or the weights are missing. Loads no weights."""
    name = metric_name(settings.model)
    _layer(name, loading.require_whole_files(replace(settings, backend="transformers", model=name.model), is_part=True))


def _load_encoder(settings: EngineSettings, name: MetricName) -> Encoder:
    """Load tokenizer and weights up to the layer. Raises LoadFailed."""
    inner = model_files.at_commit(replace(settings, backend="transformers", model=name.model))
    config = loading.load_config(inner)
    layer = _layer(name, config)
    device = loading.find_device(inner.device)
    tokenizer = loading.load_tokenizer(inner)
    revision = model_files.resolved_revision(inner)
    config.num_hidden_layers = layer
    model = _load_layers(inner, config, device)
    description = EngineDescription(
        backend=settings.backend,
        family="metric",
        gives_probabilities=False,
        architecture=type(model).__name__,
        model=settings.model,
        revision=revision,
        dtype=settings.dtype,
        device=str(device),
        max_prompt_tokens=_limit(config, tokenizer),
        torch=str(torch.__version__),
        transformers=transformers.__version__,
        threads=torch.get_num_threads(),
        signature=f"BERTScore F1|model:{name.model}|layer:{layer}|idf:no|rescaled:no",
    )
    return Encoder(tokenizer, model, description.max_prompt_tokens, description)


def _layer(name: MetricName, config: PreTrainedConfig) -> int:
    if name.layer is None:
        raise LoadFailed(
            f'the layer of "{name.model}" to compare is unknown; add it to the name, as in bertscore:MODEL#17 '
            f"(bert-score takes {BERTSCORE_LAYERS['roberta-large']} of roberta-large)"
        )
    if not 1 <= name.layer <= config.num_hidden_layers:
        raise LoadFailed(f'"{name.model}" has layers 1 to {config.num_hidden_layers}; {name.layer} is none of them')
    return name.layer


def _load_layers(settings: EngineSettings, config: PreTrainedConfig, device: torch.device) -> PreTrainedModel:
    with model_files.explaining(settings, "weights"):
        model, info = AutoModel.from_pretrained(
            model_files.source_of(settings),
            config=config,
            dtype=getattr(torch, settings.dtype),
            output_loading_info=True,
            ignore_mismatched_sizes=True,
            **model_files.file_options(settings),
        )
    missing = [name for name in info["missing_keys"] if "pooler." not in name]  # no pooled state is read
    loading.require_all_weights(settings, missing=missing, mismatched=info["mismatched_keys"])
    encoder = model.get_encoder() if config.is_encoder_decoder else model
    with model_files.explaining(settings):
        return encoder.to(device).eval()


def _limit(config: PreTrainedConfig, tokenizer: PreTrainedTokenizerBase) -> int | None:
    """Return the most tokens of a text. RoBERTa numbers positions from the one after its padding token."""
    window = loading.longest_window(config, tokenizer)
    if window is None:
        return None
    offset = config.pad_token_id + 1 if config.model_type in _OFFSET_POSITIONS else 0
    return min(window - offset, tokenizer.model_max_length)
