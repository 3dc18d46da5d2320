"""GGUF files as local judges."""

import hashlib
import logging
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest
from transformers import AutoModelForCausalLM, AutoTokenizer

from evenhand.engine import EngineSettings, LoadFailed, Question, find_problems, load_engine, load_renderer
from evenhand.engine.local.model import gguf_conversion
from evenhand.engine.model_folders import converted_folder
from evenhand.engine.token_counts import window_in_files
from tests.evenhand.engine.gguf_models import save_gguf
from tests.evenhand.engine.reference import Reference

QUESTION = Question("Summary A: The boat was painted.\n\nSummary B: A boat.\n\nWhich is better?", "Summary", " A", " B")


@pytest.fixture
def data(tmp_path, monkeypatch):
    """An empty data folder."""
    monkeypatch.setenv("EVENHAND_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def settings(file, **changes):
    return EngineSettings("transformers", str(file), **changes)


class GgufReference(Reference):
    """Plain transformers, which reads the GGUF file itself."""

    def __init__(self, file):
        place = {"pretrained_model_name_or_path": str(file.parent), "gguf_file": file.name}
        self.model = AutoModelForCausalLM.from_pretrained(**place).eval()
        self.config, self.tokenizer = self.model.config, AutoTokenizer.from_pretrained(**place)


@pytest.mark.parametrize("quantisation", ["F32", "F16", "Q8_0", "Q4_1"])
def test_gguf_judge_answers_as_plain_transformers(quantisation, data, tmp_path):
    file = save_gguf(tmp_path / "tiny.gguf", quantisation=quantisation)
    engine = load_engine(settings(file))

    (answer,) = engine.p_first([QUESTION]).answers

    rendered = load_renderer(settings(file)).render(QUESTION)
    assert rendered.prompt_text.startswith("<s>[user] Summary A")
    assert answer.p_first == pytest.approx(GgufReference(file).p_first(rendered), abs=1e-5)


def test_description_names_the_file_and_its_hash(data, tmp_path):
    file = save_gguf(tmp_path / "tiny.gguf")

    description = load_engine(settings(file)).describe()

    assert description.model == str(file)
    assert description.revision == f"sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}"
    assert (description.dtype, description.max_prompt_tokens, description.chat_template) == ("float32", 512, True)


def test_file_is_converted_once_and_kept_in_the_data_folder(data, tmp_path, caplog):
    file = save_gguf(tmp_path / "tiny.gguf")
    caplog.set_level(logging.WARNING)

    for changes in ({}, {}, {"dtype": "bfloat16"}):
        load_engine(settings(file, **changes)).close()

    kept = [path for path in (data / "models").iterdir() if path.is_dir()]
    assert kept == [converted_folder(file)]
    assert {path.stat().st_mode & 0o777 for path in kept[0].iterdir()} == {0o644}
    assert len([one for one in caplog.messages if "is converted once" in one]) == 1
    assert window_in_files(str(file), "") == 512


def test_another_file_of_the_same_name_is_converted_too(data, tmp_path):
    file = save_gguf(tmp_path / "tiny.gguf")
    load_engine(settings(file)).close()
    save_gguf(file, quantisation="F16")

    description = load_engine(settings(file)).describe()

    assert description.revision == f"sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}"
    assert len([path for path in (data / "models").iterdir() if path.is_dir()]) == 2


def test_two_workers_at_once_convert_once(data, tmp_path, caplog):
    file = save_gguf(tmp_path / "tiny.gguf")

    with ThreadPoolExecutor(2) as workers:
        list(workers.map(lambda _: load_renderer(settings(file)), range(2)))

    assert len([one for one in caplog.messages if "is converted once" in one]) == 1


def test_unknown_architecture_is_named_and_leaves_nothing_behind(data, tmp_path):
    file = save_gguf(tmp_path / "tiny.gguf", architecture="granite-vision")

    with pytest.raises(LoadFailed, match="granite-vision is not supported yet"):
        load_engine(settings(file))

    assert [path for path in (data / "models").iterdir() if path.is_dir()] == []


def test_full_disk_is_said_before_anything_is_written(data, tmp_path, monkeypatch):
    file = save_gguf(tmp_path / "tiny.gguf")
    usage = shutil.disk_usage(tmp_path)._replace(free=1000)
    monkeypatch.setattr(gguf_conversion.shutil, "disk_usage", lambda _: usage)

    with pytest.raises(LoadFailed) as refused:
        load_engine(settings(file))

    assert str(refused.value) == (f'"{file}" needs 0.0 GB once it is converted, and {data}/models has 0.0 GB left')


def test_missing_package_is_named_with_the_command_that_adds_it(data, tmp_path, monkeypatch):
    file = save_gguf(tmp_path / "tiny.gguf")
    monkeypatch.setattr(gguf_conversion, "_PACKAGES", ("json", "evenhand_needs_no_such_package"))

    with pytest.raises(LoadFailed) as refused:
        load_engine(settings(file))

    assert str(refused.value) == (
        "GGUF files need the package evenhand_needs_no_such_package, which is not installed; "
        "add it with: evenhand install_judge"
    )


def test_check_of_a_judge_takes_a_gguf_file_and_names_one_that_is_missing(data, tmp_path):
    file = save_gguf(tmp_path / "tiny.gguf")

    assert find_problems(settings(file), QUESTION) == []
    assert find_problems(settings(tmp_path / "none.gguf"), QUESTION)[-1] == (
        f'the file "{tmp_path}/none.gguf" does not exist'
    )
