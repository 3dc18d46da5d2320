import json

import pytest

from evenhand.engine import EngineSettings, LoadFailed, load_engine, load_renderer
from evenhand.engine.quantised_models import path_problem, scheme_of
from tests.evenhand.engine.tiny_models import save_model

SETTINGS = {
    "AWQ": {"quant_method": "awq", "bits": 4},
    "GPTQ": {"quant_method": "gptq", "bits": 4},
    "bitsandbytes": {"load_in_4bit": True},
    "FP8": {"quant_method": "fp8"},
    "compressed-tensors": {"quant_method": "compressed-tensors"},
    "hqq": {"quant_method": "hqq"},
}


def save_quantised(folder, settings):
    save_model(folder, "llama")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"quantization_config": settings}))
    return folder


@pytest.mark.parametrize("scheme", SETTINGS)
@pytest.mark.parametrize("load", [load_engine, load_renderer])
def test_quantised_folder_is_refused_with_its_scheme_and_a_way_to_serve_it(scheme, load, tmp_path):
    folder = save_quantised(tmp_path, SETTINGS[scheme])

    with pytest.raises(LoadFailed) as refused:
        load(EngineSettings("transformers", str(folder)))

    assert str(refused.value) == (
        f'"{folder}" is quantised by {scheme}, and local judges need weights in float32, bfloat16 or float16; '
        f"serve it with: vllm serve {folder} --port 8001, and add it with: "
        f"--backend openai --base-url http://localhost:8001/v1 --model {folder}"
    )


def test_folder_of_gguf_files_asks_for_one_of_them(tmp_path):
    for name in ("q8.gguf", "q4.gguf"):
        (tmp_path / name).write_bytes(b"GGUF")

    with pytest.raises(LoadFailed) as refused:
        load_engine(EngineSettings("transformers", str(tmp_path)))

    assert str(refused.value) == (
        f'"{tmp_path}" is a folder with GGUF files; give one of them, such as {tmp_path / "q4.gguf"}'
    )


def test_plain_folder_has_no_such_problem(tmp_path):
    assert path_problem(save_model(tmp_path, "llama")) == ""
    assert path_problem(tmp_path / "absent.gguf") == ""
    assert scheme_of({"quantization_config": None}) == ""


def test_unreadable_configuration_is_left_to_loading(tmp_path):
    (tmp_path / "config.json").write_text("{")

    assert path_problem(tmp_path) == ""
