"""Check the weight files of a folder by their headers and sizes. Reads no weights."""

import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from transformers import PreTrainedConfig, PreTrainedModel

from evenhand.engine.exceptions import LoadFailed
from evenhand.engine.local.model.model_classes import model_without_weights
from evenhand.engine.local.model.model_files import pickles_refused

Shapes = dict[str, tuple[int, ...]]
_SAFETENSORS, _PYTORCH = "model.safetensors", "pytorch_model.bin"
_LARGEST_HEADER = 100_000_000  # bytes, the limit of the format
_PICKLE = b"\x80"  # first byte of a PyTorch file from before its ZIP format


def weight_shapes(folder: Path, *, takes_pickles: bool) -> Shapes:
    """Return the shape of each weight that the headers of a folder name; empty for files without such headers.

    Raises LoadFailed for weights that are missing or cut, and without `takes_pickles` for those that are pickles.
    """
    for name in (_SAFETENSORS, _PYTORCH):
        for path in (folder / name, folder / f"{name}.index.json"):
            if path.is_file():
                if name == _PYTORCH and not takes_pickles:
                    raise LoadFailed(pickles_refused(str(folder)))
                return _shapes_of_index(path) if path.suffix == ".json" else _shapes_in(path)
    raise LoadFailed(f'the folder "{folder}" has no weights ({_SAFETENSORS} or {_PYTORCH}); save the model there')


def _shapes_of_index(index: Path) -> Shapes:
    try:
        shard_of: dict[str, str] = json.loads(index.read_text(encoding="utf-8"))["weight_map"]
        shards = sorted(set(shard_of.values()))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise LoadFailed(f"{index} is no index of weights, or is cut; fetch it again") from None
    if missing := [shard for shard in shards if not (index.parent / shard).is_file()]:
        raise LoadFailed(f"{len(missing)} of the {len(shards)} files of weights are missing, such as {missing[0]}")
    found = {shard: _shapes_in(index.parent / shard) for shard in shards}
    lost = [(name, shard) for name, shard in shard_of.items() if found[shard] and name not in found[shard]]
    if lost:
        name, shard = lost[0]
        raise LoadFailed(f"{len(lost)} weights that {index.name} names are not in its files, such as {name} in {shard}")
    return {name: shape for shapes in found.values() for name, shape in shapes.items()}


def _shapes_in(path: Path) -> Shapes:
    if path.suffix == ".safetensors":
        return _safetensors_shapes(path)
    with path.open("rb") as file:
        if not zipfile.is_zipfile(path) and file.read(1) != _PICKLE:
            raise LoadFailed(
                f"{path} is no file of weights, or is cut at {path.stat().st_size:,} bytes; fetch it again"
            )
    return {}


def _safetensors_shapes(path: Path) -> Shapes:
    """Read the header: its length in 8 bytes, then JSON with type, shape and place of each weight."""
    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = file.read(length) if length <= min(size, _LARGEST_HEADER) else b""
    try:
        weights = {name: one for name, one in json.loads(header).items() if name != "__metadata__"}
        ends = [int(one["data_offsets"][1]) for one in weights.values()]
        shapes = {name: tuple(one["shape"]) for name, one in weights.items()}
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        raise LoadFailed(f"{path} is no safetensors file, or is cut at {size:,} bytes; fetch it again") from None
    whole = 8 + length + max(ends, default=0)
    if size != whole:
        raise LoadFailed(f"{path} has {size:,} bytes, and its header describes {whole:,}; fetch it again")
    return shapes


def weight_problem(model: str, config: PreTrainedConfig, shapes: Shapes) -> str:
    """Return what the files lack or have in another size than the configuration says; empty for nothing.

    A name counts as lacking only if the files use the names of this model: at least half of its kinds of weights, and
    for a weight of a layer, the same weight of another layer. Loading may rename others.
    """
    whole = model_without_weights(config)
    wanted = {name: tuple(one.shape) for name, one in whole.state_dict().items()}
    other = sorted(name for name in wanted.keys() & shapes if wanted[name] != shapes[name])
    if other:
        found, expected = list(shapes[other[0]]), list(wanted[other[0]])
        return (
            f'{len(other)} of the weights of the model "{model}" have another size than its config.json says '
            f"(such as {other[0]}: {found}, not {expected}); the weights belong to another configuration"
        )
    lacking = _lacking(wanted, shapes, whole) if shapes else []
    return f'the model "{model}" lacks {len(lacking)} of its weights (such as {lacking[0]})' if lacking else ""


def _lacking(wanted: Mapping[str, object], found: Mapping[str, object], model: PreTrainedModel) -> Sequence[str]:
    kinds, found_kinds = ({_kind(name) for name in names} for names in (wanted, found))
    if 2 * len(kinds & found_kinds) < len(kinds):
        return []
    tied = set(getattr(model, "all_tied_weights_keys", None) or ())
    ignored = [*(getattr(model, "_keys_to_ignore_on_load_missing", None) or ())]
    return sorted(
        name
        for name in wanted.keys() - found.keys() - tied
        if (_kind(name) in found_kinds or _kind(name) == name) and not any(re.search(one, name) for one in ignored)
    )


def _kind(name: str) -> str:
    """Return the name of a weight without the number of its layer."""
    return re.sub(r"\d+", "#", name)
