"""Adding judges, and the settings that load them."""

import math
import os
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from django.db import IntegrityError

from evenhand.engine import DTYPES, EngineDescription, EngineSettings, LoadFailed, Thinking
from evenhand.engine.endpoint.dialect_files import load_dialects
from evenhand.engine.gguf_files import GGUF, names_gguf
from evenhand.engine.metrics import BERTSCORE, METRICS, REWARD, metric_name
from evenhand.engine.quantised_models import path_problem
from evenhand.engine.settings import FORCED_CHOICE, LOGPROBS, SCORING, TEXT
from evenhand.options import Option, options_of
from evenhand.refusals import Refused, not_free, raise_if_any
from judging.models import Judge, User
from judging.models.activity_and_looks import Act
from judging.services.activity import noted
from judging.services.judges.endpoint_limits import host_problems
from judging.services.judges.metric_judges import HUB_ID, full_metric, metric_judge_problems, names_folder
from judging.services.names import name_problems

KEY_VARIABLE_ADVICE = (
    "give the name of an environment variable that ends in _API_KEY, such as OPENAI_API_KEY; never give the key itself"
)
DEVICE = re.compile(r"auto|cpu|cuda(:\d+)?")
KEY_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*_API_KEY")
TOKENIZER_FILES = (
    *("tokenizer.json", "tokenizer.model", "spiece.model"),
    *("vocab.json", "vocab.txt", "tokenizer_config.json"),
)
ENDPOINT_ONLY = ("base_url", "api_key_env", "dialect", "ask_by", "price_input", "price_output")
LOCAL_ONLY = ("revision", "dtype", "device", "pickled_weights")
ENGINE_SETTINGS = (
    *("backend", "model", "revision", "dtype", "device", "base_url", "dialect", "ask_by"),
    "pickled_weights",
)
ENDPOINT, FOLDER, HUB = "endpoint", "folder", "hub"


def add_judge(
    owner: User | None = None,
    endpoint_hosts: Sequence[str] | None = None,
    check: Callable[[Judge], list[str]] = lambda judge: [],
    sources: Collection[str] | None = None,
    *,
    name: Annotated[str, Option("As it appears in lists and tables.", "Name", longest=200)],
    backend: Annotated[
        str,
        Option(
            "A model that the workers load, an endpoint, or a metric.",
            "Type",
            choices={
                Judge.Backend.TRANSFORMERS.value: "a language model that runs here",
                Judge.Backend.OPENAI.value: "an OpenAI-compatible endpoint",
                Judge.Backend.METRIC.value: "a metric, computed for each text",
            },
        ),
    ],
    model: Annotated[
        str,
        Option(
            "A hub id such as google/flan-t5-base, a folder or a GGUF file on the workers' machine, or the model's "
            "name at the endpoint. A folder comes before a hub id of the same name, for those who may add folders. "
            f"For a metric: {', '.join(name for name in METRICS if name not in (BERTSCORE, REWARD))}, or with a "
            f"model: {BERTSCORE}:roberta-large, {REWARD}: and a reward model.",
            "Model",
            longest=500,
        ),
    ],
    base_url: Annotated[
        str,
        Option(
            "For example http://localhost:8000/v1. Pages and API use only hosts in the setting ENDPOINT_HOSTS.",
            "Address of the endpoint",
            longest=500,
        ),
    ] = "",
    api_key_env: Annotated[
        str,
        Option(
            "Name of the workers' environment variable that holds the key; it ends in _API_KEY. Never the key.",
            "Variable of the API key",
            longest=200,
        ),
    ] = "",
    dialect: Annotated[
        str,
        Option(
            "The names of the endpoint's request fields.",
            "Dialect",
            choices={"": "recognise it", **{one.name: one.title for one in load_dialects().values()}},
        ),
    ] = "",
    ask_by: Annotated[
        str,
        Option(
            "How the endpoint is asked for a label word. By scoring or a forced choice it cannot refuse or comment.",
            "Ask by",
            choices={
                "": "what suits it, found by a small question",
                SCORING: "the probabilities of label words after our own prompt: it writes nothing",
                FORCED_CHOICE: "a forced choice: it may write label words only",
                LOGPROBS: "the probabilities of label words in a free reply",
                TEXT: "the text of a free reply",
            },
        ),
    ] = "",
    price_input: Annotated[float | None, Option("Of the endpoint.", "Price per million input tokens", low=0)] = None,
    price_output: Annotated[
        float | None, Option("In the same currency.", "Price per million output tokens", low=0)
    ] = None,
    revision: Annotated[
        str,
        Option(
            "Commit, tag or branch of a hub model. Empty for the newest, and for metrics without a model.",
            "Revision",
            longest=200,
        ),
    ] = "",
    dtype: Annotated[
        str,
        Option(
            "On a GPU, bfloat16 is several times as fast as float32.",
            "Precision",
            choices={name: name for name in DTYPES},
        ),
    ] = Judge.Dtype.FLOAT32.value,
    device: Annotated[str, Option("cpu, cuda, cuda:1 (or another number) or auto.", "Device", longest=20)] = "auto",
    pickled_weights: Annotated[
        bool,
        Option("Pickles may run code of their author. Only admins and commands allow them.", "Weights may be pickles"),
    ] = False,
) -> Judge:
    """Store a judge. Its model is loaded for its first run. Raises Refused with every problem.

    endpoint_hosts: the hosts that an endpoint may have, as in `host_problems`; None for any.
    check: returns what keeps the judge from answering.
    sources: of "endpoint", "folder" and "hub", from which models may come; None for all, and for pickles.
    """
    judge = Judge(
        owner=owner,
        name=name.strip(),
        backend=backend,
        model=model.strip(),
        base_url=base_url.strip(),
        api_key_env=api_key_env.strip(),
        dialect=dialect,
        ask_by=ask_by,
        price_input=price_input,
        price_output=price_output,
        revision=revision.strip(),
        dtype=dtype,
        device=device.strip(),
        pickled_weights=pickled_weights,
    )
    problems = [*judge_name_problems(judge.name, owner), *_device_problems(judge)]
    problems += _endpoint_problems(judge, endpoint_hosts)
    looks = sources is None or FOLDER in sources  # others must not learn which folders exist
    problems += _source_problems(judge, sources, looks=looks) or _model_problems(judge, looks=looks)
    problems += _price_problems(judge)
    raise_if_any(problems)
    if looks:
        judge.model = _full_path(judge)
    raise_if_any(check(judge))
    return _stored(judge)


@noted(Act.CREATE, returned=True)
def _stored(judge: Judge) -> Judge:
    try:
        judge.save(force_insert=True)
    except IntegrityError as error:
        raise Refused(not_free(judge.name)) from error
    return judge


JUDGE_OPTIONS = options_of(add_judge)


def engine_settings(judge: Judge, thinking: Thinking | None = None, *, decides: bool = False) -> EngineSettings:
    """Return the settings that load a judge. Raises LoadFailed for recorded judgments or a missing API key.

    thinking: that of the questions. An endpoint is tried with it; a local model needs it only with each question.
    decides: the questions are those to a decision model.
    """
    settings = replace(renderer_settings(judge), api_key=_api_key(judge))
    if not judge.is_endpoint:
        return settings
    if decides:
        return replace(settings, decides=True)
    probe = judge.last_probe(thinks=thinking is not None)
    refused = tuple(sorted(probe.get("refused", {}).items()))
    return replace(settings, thinking=thinking, refused=refused, asked_before=probe.get("asked_by", ""))


def remember_probe(judge: Judge, description: EngineDescription, *, thinks: bool) -> None:
    """Store what the probe of an endpoint found, so that refused parameters are not sent again."""
    if not judge.is_endpoint or description.architecture == "decisions":
        return  # a probe of decisions says nothing of chats
    found = {
        "dialect": description.dialect,
        "refused": dict(description.refused),
        "top_logprobs": description.top_logprobs,
        "thinking": description.thinking or description.without_thinking,
        "asked_by": description.asked_by,
        "forced_choice": description.forced_choice,
        "model": description.revision,
    }
    mode = "on" if thinks else "off"
    if judge.probes.get(mode) != found:
        judge.probes = {**judge.probes, mode: found}
        Judge.objects.filter(pk=judge.pk).update(probes=judge.probes)


def renderer_settings(judge: Judge) -> EngineSettings:
    """Return the settings that load a judge's renderer, without API key. Raises LoadFailed if it cannot be asked."""
    if not judge.can_be_asked:
        raise LoadFailed(f'judge "{judge.name}" has only stored answers; it cannot be run')
    if judge.runs_here and not judge.is_demo and HUB_ID.fullmatch(path := _path_of(judge)) and Path(path).exists():
        raise LoadFailed(
            f'judge "{judge.name}" has a model of the hub, but "{path}" is also a folder where this process runs; '
            "start it in another folder, or add a judge with the whole path of the folder"
        )
    return EngineSettings(**{name: getattr(judge, name) for name in ENGINE_SETTINGS})


def _api_key(judge: Judge) -> str:
    if not judge.api_key_env:
        return ""
    if not KEY_VARIABLE.fullmatch(judge.api_key_env):  # added before other names were refused
        raise LoadFailed(f'judge "{judge.name}" takes its key from {judge.api_key_env}; {KEY_VARIABLE_ADVICE}')
    key = os.environ.get(judge.api_key_env, "")
    if not key:
        raise LoadFailed(f'judge "{judge.name}" needs the key in {judge.api_key_env}; set that variable where it runs')
    return key


def judge_name_problems(name: str, owner: User | None) -> list[str]:
    """Return why a judge of this owner cannot have this new name."""
    if not name.strip() or not name.isprintable():
        return [f"name: {name!r} — give a name of printable characters"]
    if len(name) > 200:
        return [f"name: {len(name)} characters — give at most 200"]
    return name_problems(Judge, name, owner)


def _device_problems(judge: Judge) -> list[str]:
    if DEVICE.fullmatch(judge.device):
        return []
    return [f'device: "{judge.device}" is unknown; choose cpu, cuda, cuda:1 (or another number) or auto']


def _endpoint_problems(judge: Judge, hosts: Sequence[str] | None) -> list[str]:
    problems = []
    if judge.is_endpoint:
        problems += _address_problems(judge.base_url) or host_problems(judge.base_url, hosts, key=judge.api_key_env)
    if judge.is_endpoint and judge.revision:
        problems.append("revision: an endpoint has none; name the version in the model, as the endpoint calls it")
    elif not judge.is_endpoint and (judge.base_url or judge.api_key_env):
        problems.append("base_url, api_key_env: only endpoints have them")
    if not judge.is_endpoint and (judge.dialect or judge.ask_by):
        problems.append("dialect, ask_by: only endpoints have them")
    if judge.api_key_env and not KEY_VARIABLE.fullmatch(judge.api_key_env):
        problems.append(f"api_key_env: {KEY_VARIABLE_ADVICE}")
    return problems


def _source_problems(judge: Judge, sources: Collection[str] | None, *, looks: bool) -> list[str]:
    """Return what the person may not add. A metric without a model, and the demo judge, come from nowhere."""
    if judge.pickled_weights and judge.is_endpoint:
        return ["pickled_weights: an endpoint loads no weights here; leave it out"]
    if sources is None or judge.is_demo or not (judge.is_endpoint or judge.runs_here):
        return []
    source = ENDPOINT if judge.is_endpoint else FOLDER if names_folder(_path_of(judge), looks=looks) else HUB
    problems = [] if source in sources else [f"model: only an admin may add a judge from this source: {source}"]
    return problems + ["pickled_weights: only an admin may allow pickles"] * judge.pickled_weights


def _path_of(judge: Judge) -> str:
    """Return the folder, file or hub id of a judge's weights."""
    return metric_name(judge.model).model if judge.is_metric else judge.model


def _price_problems(judge: Judge) -> list[str]:
    prices = {"price_input": judge.price_input, "price_output": judge.price_output}
    given = {name: price for name, price in prices.items() if price is not None}
    if given and not judge.is_endpoint:
        return [f"{', '.join(given)}: only endpoints have prices"]
    problems = [f"{name}: missing — give both prices, or none" for name in prices if given and name not in given]
    wrong = {name: price for name, price in given.items() if not 0 <= price < math.inf}
    return problems + [f"{name}: {price} — give a price of 0 or more" for name, price in wrong.items()]


def _address_problems(base_url: str) -> list[str]:
    """Return the problems of an address. Refused parts that may hold a secret are not shown."""
    try:
        parts = urlsplit(base_url)
        valid = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return ["base_url: not a valid address; give one such as http://localhost:8000/v1"]
    if "@" in base_url or parts.query or parts.fragment:
        return ["base_url: leave out a name, a password, ? and #; a key is taken from the variable in api_key_env"]
    if base_url.rstrip("/").endswith("/chat/completions"):
        return ['base_url: leave out "/chat/completions" at its end; every request adds it']
    if not valid or not base_url.isprintable() or " " in base_url:
        return [f'base_url: "{base_url}" — give the endpoint\'s address, such as http://localhost:8000/v1']
    return []


def _model_problems(judge: Judge, *, looks: bool) -> list[str]:
    """Check that a model is named, and that a local folder holds one. Hub ids are looked up at the first run."""
    model, folder = judge.model, Path(judge.model)
    if not model:
        return [f"model: missing — give {'a metric' if judge.is_metric else 'a hub id or a folder'}"]
    if judge.is_metric:
        return metric_judge_problems(judge, looks=looks)
    if not judge.has_weights or not looks:
        return []
    if problem := path_problem(folder.expanduser()):
        return [f"model: {problem}"]
    if not judge.is_demo and not folder.is_dir() and not names_gguf(folder.expanduser()):
        kind = "file" if folder.suffix.lower() == GGUF else "folder"
        return [f'model: there is no {kind} "{model}"'] if names_folder(model) else []
    problems = _folder_problems(folder) if folder.is_dir() else []
    if judge.revision:
        kind = "file" if names_gguf(folder.expanduser()) else "folder"
        problems.append(f'revision: "{judge.revision}" — a {kind} has no revision; leave it out')
    return problems


def _folder_problems(folder: Path) -> list[str]:
    missing = [] if (folder / "config.json").is_file() else ["config.json"]
    if not any((folder / name).is_file() for name in TOKENIZER_FILES):
        missing.append("a tokenizer (tokenizer.json or another of its files)")
    if not missing:
        return []
    return [f'model: the folder "{folder}" lacks {" and ".join(missing)}; save model and tokenizer there']


def _full_path(judge: Judge) -> str:
    """Return the absolute path of a folder or file, which workers in other folders find; anything else unchanged."""
    if judge.is_metric:
        return full_metric(judge.model)
    path = Path(judge.model).expanduser()
    has_path = judge.has_weights and (path.is_dir() or names_gguf(path))
    return str(path.resolve()) if has_path else judge.model
