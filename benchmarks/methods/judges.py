"""The judges: tiny models in a folder, servers on this machine, and metrics."""

import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import torch
from transformers import BertConfig, BertModel

from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint, reply
from tests.evenhand.engine.endpoint.served_demo import served_demo
from tests.evenhand.engine.tiny_models import CHAT_TEMPLATE, save_model, train_tokenizer

TEMPLATE = (
    "{% set said = messages[-1].content %}{{ said.split('\\n\\nAnswer only with')[0] }}"
    "{{ ' Summary' if 'Answer only with A' in said }}"
)
VOCABULARY, WINDOW, BERT_WINDOW = 4_000, 8_192, 2_048
METRICS = ("bleu", "chrf", "rouge-l", "meteor", "meteor-no-synonyms")


@dataclass(frozen=True, slots=True)
class JudgeKind:
    """A judge and the arguments of `add_judge` (none for a judge that exists already).

    asking: level of the limits, from 0 (all pairs) to 2 (fewest). writing: the level for methods with reasoning or
    sampled answers.
    """

    name: str
    arguments: tuple[str, ...] = ()
    asking: int = 0
    writing: int = 0


@contextmanager
def judges(folder: Path, corpus: Sequence[str]) -> Iterator[list[JudgeKind]]:
    """Yield the language models while their servers run."""
    options = {"corpus": corpus, "size": VOCABULARY}
    save_model(folder / "llama", "llama", window=WINDOW, opening="<s>", chat_template=CHAT_TEMPLATE, **options)
    save_model(folder / "t5", "t5", closing="</s>", **options)
    with ExitStack() as stack:
        soft, hard = (stack.enter_context(ServedEndpoint(answer)) for answer in (soft_answer, hard_answer))
        address = stack.enter_context(served_demo(folder / "served", template=TEMPLATE, do_sample=True))
        yield [
            JudgeKind("demo", writing=1),
            JudgeKind("tiny-llama", local(folder / "llama")),
            JudgeKind("tiny-t5", local(folder / "t5"), writing=1),
            JudgeKind("endpoint-soft", endpoint("digest", soft.url)),
            JudgeKind("endpoint-hard", endpoint("digest", hard.url)),
            JudgeKind("served", endpoint(str(folder / "served"), address), asking=1, writing=2),
        ]


def metrics(folder: Path, corpus: Sequence[str]) -> list[JudgeKind]:
    """Return the metrics that compare a candidate with another text."""
    save_bert(folder / "bert", corpus)
    named = [JudgeKind(name, ("--backend", "metric", "--model", name)) for name in METRICS]
    bert = ("--backend", "metric", "--model", f"bertscore:{folder / 'bert'}#1", "--device", "cpu")
    return [*named, JudgeKind("bertscore", bert)]


def local(folder: Path) -> tuple[str, ...]:
    return ("--backend", "transformers", "--model", str(folder), "--device", "cpu")


def endpoint(model: str, address: str) -> tuple[str, ...]:
    return ("--backend", "openai", "--model", model, "--base-url", address)


def save_bert(folder: Path, corpus: Sequence[str]) -> None:
    tokenizer = train_tokenizer(opening="<s>", closing="</s>", limit=BERT_WINDOW, corpus=corpus, size=VOCABULARY)
    tokenizer.add_special_tokens({"cls_token": "<s>", "sep_token": "</s>"})
    torch.manual_seed(5)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
    config = BertConfig(vocab_size=len(tokenizer), max_position_embeddings=BERT_WINDOW, pad_token_id=0, **sizes)
    BertModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def soft_answer(body: Mapping[str, object]) -> dict[str, object]:
    """Reply with an answer drawn by the digest of the messages, and with the probability of each answer."""
    written, probabilities = drawn(body)
    listed = {word: math.log(probability) for word, probability in probabilities.items()}
    return reply(written, tokens=[(written, listed)] if listed else [(written, {written: -1e-6})])


def hard_answer(body: Mapping[str, object]) -> dict[str, object]:
    return reply(drawn(body)[0])


def drawn(body: Mapping[str, object]) -> tuple[str, dict[str, float]]:
    """Return the most probable answer and the probabilities of all; a sentence if the question lists no answers."""
    said = json.dumps([body["messages"], body.get("seed")])
    digest = hashlib.sha256(said.encode()).digest()
    words = words_asked_for(str(body["messages"][-1]["content"]))
    if not words:
        return f"A short text with the number {digest.hex()[:8]}.", {}
    weights = [1 + byte for byte, _ in zip(digest, words, strict=False)]
    probabilities = {word: weight / sum(weights) for word, weight in zip(words, weights, strict=True)}
    return max(words, key=probabilities.__getitem__), probabilities


def words_asked_for(said: str) -> list[str]:
    asked = re.search(r"Answer only with (.*), and nothing else\.$", said)
    if asked is None:
        return []
    scale = re.fullmatch(r"a whole number from (\d+) to (\d+)", asked[1])
    if scale:
        return [str(number) for number in range(int(scale[1]), int(scale[2]) + 1)]
    return re.split(r", | or ", asked[1])
