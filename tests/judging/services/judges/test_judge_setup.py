"""Adding judges."""

import pytest

from evenhand.engine import EngineSettings, LoadFailed
from evenhand.refusals import Refused
from judging.models import Judge
from judging.services.judges.judge_setup import add_judge, engine_settings, renderer_settings
from tests.evenhand.engine.gguf_models import save_gguf
from tests.factories import make_judge

pytestmark = pytest.mark.django_db

GPT = {"name": "gpt", "backend": "openai", "model": "gpt-4o"}


def test_engine_settings_are_those_of_the_added_judge():
    judge = add_judge(
        name="flan",
        backend="transformers",
        model="google/flan-t5-base",
        revision="main",
        dtype="bfloat16",
        device="cuda:1",
    )

    assert engine_settings(judge) == EngineSettings(
        backend="transformers", model="google/flan-t5-base", revision="main", dtype="bfloat16", device="cuda:1"
    )


def test_add_judge_keeps_a_folder_by_its_full_path(tmp_path, monkeypatch):
    for name in ("config.json", "tokenizer.json"):
        (tmp_path / name).write_text("{}")
    monkeypatch.chdir(tmp_path.parent)

    assert add_judge(name="mine", backend="transformers", model=tmp_path.name).model == str(tmp_path)


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ([], "lacks config.json and a tokenizer (tokenizer.json or another of its files)"),
        (["config.json"], "lacks a tokenizer (tokenizer.json or another of its files)"),
        (["spiece.model"], "lacks config.json"),
    ],
)
def test_add_judge_refuses_a_folder_that_is_no_model(tmp_path, files, problem):
    for name in files:
        (tmp_path / name).write_text("{}")

    with pytest.raises(Refused) as refused:
        add_judge(name="mine", backend="transformers", model=str(tmp_path))

    assert refused.value.problems == (f'model: the folder "{tmp_path}" {problem}; save model and tokenizer there',)


def test_add_judge_refuses_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(Refused, match="model: there is no folder"):
        add_judge(name="mine", backend="transformers", model=str(tmp_path / "missing"))


def test_add_judge_takes_a_gguf_file_by_its_full_path(tmp_path, monkeypatch):
    save_gguf(tmp_path / "tiny.gguf")
    monkeypatch.chdir(tmp_path)

    judge = add_judge(name="mine", backend="transformers", model="tiny.gguf")

    assert judge.model == str(tmp_path / "tiny.gguf")


def test_add_judge_refuses_a_broken_gguf_file_and_one_that_is_not_there(tmp_path):
    (tmp_path / "cut.gguf").write_bytes(b"GGUF")

    problems = []
    for name in ("cut.gguf", "none.gguf"):
        with pytest.raises(Refused) as refused:
            add_judge(name="mine", backend="transformers", model=str(tmp_path / name))
        problems += refused.value.problems

    assert problems == [
        f'model: "{tmp_path}/cut.gguf" is no GGUF file, or is cut at 4 bytes; fetch it again',
        f'model: there is no file "{tmp_path}/none.gguf"',
    ]


def test_add_judge_says_how_to_serve_a_quantised_folder(tmp_path):
    (tmp_path / "config.json").write_text('{"quantization_config": {"quant_method": "awq"}}')

    with pytest.raises(Refused) as refused:
        add_judge(name="mine", backend="transformers", model=str(tmp_path))

    (problem,) = refused.value.problems
    assert problem.startswith(f'model: "{tmp_path}" is quantised by AWQ')
    assert f"vllm serve {tmp_path}" in problem


def test_add_judge_refuses_a_revision_of_a_folder():
    with pytest.raises(Refused) as refusal:
        add_judge(name="mine", backend="transformers", model="builtin:demo", revision="v2")

    assert refusal.value.problems == ('revision: "v2" — a folder has no revision; leave it out',)


def test_add_judge_refuses_an_address_with_the_path_of_requests():
    with pytest.raises(Refused) as refusal:
        add_judge(**GPT, base_url="http://localhost/v1/chat/completions/")

    assert refusal.value.problems == ('base_url: leave out "/chat/completions" at its end; every request adds it',)


@pytest.mark.parametrize(
    "base_url",
    ["", "localhost:8000", "ftp://somewhere/v1", "http://", "http://a b/v1", "http://[::1/v1", "http://here:port/v1"],
)
def test_add_judge_needs_the_address_of_an_endpoint(base_url):
    with pytest.raises(Refused, match="base_url:"):
        add_judge(**GPT, base_url=base_url)


@pytest.mark.parametrize(
    "base_url",
    [
        "http://anna:pass-word@here/v1",
        "anna:pass-word@here/v1",
        "http://here/v1?key=pass-word",
        "http://here/#pass-word",
    ],
)
def test_add_judge_refuses_a_secret_in_the_address_without_showing_it(base_url):
    with pytest.raises(Refused) as refused:
        add_judge(**GPT, base_url=base_url)

    assert refused.value.problems == (
        "base_url: leave out a name, a password, ? and #; a key is taken from the variable in api_key_env",
    )


def test_an_endpoint_needs_its_key_and_the_renderer_none(monkeypatch):
    monkeypatch.delenv("MY_API_KEY", raising=False)
    judge = add_judge(**GPT, base_url="http://localhost/v1", api_key_env="MY_API_KEY")

    assert renderer_settings(judge) == EngineSettings("openai", "gpt-4o", device="auto", base_url="http://localhost/v1")
    with pytest.raises(LoadFailed, match="needs the key in MY_API_KEY"):
        engine_settings(judge)


def test_key_of_an_endpoint_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("MY_API_KEY", "secret")
    judge = add_judge(**GPT, base_url="http://localhost/v1", api_key_env="MY_API_KEY")

    assert engine_settings(judge).api_key == "secret"


def test_engine_settings_refuse_recorded_judgments():
    with pytest.raises(LoadFailed, match='judge "gpt" has only stored answers'):
        engine_settings(make_judge("gpt", backend=Judge.Backend.RECORDED, model=""))


@pytest.mark.parametrize(
    "variable", ["SECRET_KEY", "DATABASE_URL", "AWS_SECRET_ACCESS_KEY", "_API_KEY", "sk-1_API_KEY"]
)
def test_add_judge_refuses_variables_that_hold_no_key_of_an_endpoint(variable):
    with pytest.raises(Refused, match="api_key_env: give the name of an environment variable that ends in _API_KEY"):
        add_judge(**GPT, base_url="http://localhost/v1", api_key_env=variable)


def test_engine_settings_refuse_to_send_another_secret(monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "ours")
    judge = make_judge("gpt", backend="openai", base_url="http://localhost/v1", api_key_env="SECRET_KEY")

    with pytest.raises(LoadFailed, match="takes its key from SECRET_KEY; give the name of an environment variable"):
        engine_settings(judge)


@pytest.mark.parametrize("host", ["169.254.169.254", "[fe80::1]", "[::ffff:169.254.169.254]", "2852039166"])
def test_add_judge_refuses_metadata_addresses(host):
    with pytest.raises(Refused, match=r"base_url: .* link-local or metadata address"):
        add_judge(**GPT, base_url=f"http://{host}/v1")


@pytest.mark.parametrize("hosts", [["127.0.0.1"], ["other.example.org", "127.0.0.1:8000"], None])
def test_add_judge_takes_an_endpoint_on_an_allowed_host(hosts):
    judge = add_judge(**GPT, base_url="http://127.0.0.1:8000/v1", endpoint_hosts=hosts)

    assert judge.base_url == "http://127.0.0.1:8000/v1"


@pytest.mark.parametrize("hosts", [[], ["localhost"], ["127.0.0.1:9000"], ["127.0.0.11"]])
def test_add_judge_refuses_an_endpoint_on_another_host(hosts):
    with pytest.raises(Refused, match=r'base_url: "127\.0\.0\.1" is not among the hosts in the setting ENDPOINT_HOSTS'):
        add_judge(**GPT, base_url="http://127.0.0.1:8000/v1", endpoint_hosts=hosts)
