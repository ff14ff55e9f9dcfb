"""A config.json, a model's folder, a safetensors file or its index -> the model.

Start-up is a feature: what reads headers loads where there are some.
"""

from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from llmcalc.core.lora.layers import Model
from llmcalc.errors import LlmcalcError
from llmcalc.inputs.models.json_object import read_object
from llmcalc.inputs.models.kinds import first_bytes, is_pipe, kind_of_file
from llmcalc.inputs.source import Source

if TYPE_CHECKING:
    from llmcalc.inputs.models.checkpoint import Checkpoint
    from llmcalc.inputs.models.unpacked import Weights

_CONFIG = "config.json"
_PICKLES = (".bin", ".pt", ".pth", ".pkl", ".ckpt")
_INSTEAD = "convert it to safetensors or give the model's config.json"
_REFUSED = {
    "pickle": f"a pickle can run code when it is read, so it is not opened; {_INSTEAD}",
    "nothing": "is empty",
    "npz": f"an archive, as torch saves pickles in, is not opened; {_INSTEAD}",
}


def read_model(source: Source) -> Model:
    """Return a model's layers from what there is of it.

    A config.json: by the table of families. A folder, a safetensors file or an index:
    the headers give bytes, packing and, where the table lacks the family, the layers;
    a config.json beside them gives the family's own names.

    Raises LlmcalcError for a pickle, for files of another kind, and whatever the
    readers of these raise.
    """
    if source.path is not None and Path(source.path).is_dir():
        return _read_folder(Path(source.path), source.name)
    kind = kind_of_file(first_bytes(source))
    if kind == "safetensors":
        return _read_file(source)
    if kind != "json":
        if kind in ("binary", "npz") and source.name.lower().endswith(_PICKLES):
            kind = "pickle"
        reason = _REFUSED.get(kind, f"holds {kind}: no config.json and no safetensors")
        raise LlmcalcError(f"{source.name}: {reason}")
    fields = read_object(source)
    if "weight_map" in fields:
        from llmcalc.inputs.models.checkpoint import read_index

        if is_pipe(source):
            raise LlmcalcError(f"{source.name}: an index names files; give its path")
        return _from_files(read_index(source), _config_beside(source))
    from llmcalc.inputs.models.config import read_config

    return read_config(fields, source.name)


def _read_file(source: Source) -> Model:
    from llmcalc.inputs.models.checkpoint import read_files, shards_of

    shards = shards_of(Path(source.name).name)
    if shards > 1:
        raise LlmcalcError(
            f"{source.name}: is one of {shards} shards; give the folder or index"
        )
    return _from_files(read_files([source], source.name), _config_beside(source))


def _read_folder(folder: Path, name: str) -> Model:
    from llmcalc.inputs.models.checkpoint import folder_files, read_files, read_index

    config = _config(folder / _CONFIG)
    files = folder_files(folder)
    if files is None:
        if config:
            from llmcalc.inputs.models.config import read_config

            return read_config(config, str(folder / _CONFIG))
        pickles = sorted(p.name for p in folder.iterdir() if p.suffix in _PICKLES)
        if pickles:
            raise LlmcalcError(f"{folder / pickles[0]}: {_REFUSED['pickle']}")
        raise LlmcalcError(f"{name}: holds neither a config.json nor safetensors files")
    if isinstance(files, list):
        return _from_files(read_files(files, name), config)
    return _from_files(read_index(files), config)


def _config_beside(source: Source) -> dict[str, Any]:
    return _config(Path(source.path or "").parent / _CONFIG) if source.path else {}


def _config(path: Path) -> dict[str, Any]:
    return read_object(Source(str(path), str(path))) if path.is_file() else {}


def _from_files(checkpoint: "Checkpoint", config: dict[str, Any]) -> Model:
    """Return a checkpoint's model: its family's layers, else those of its names."""
    from llmcalc.inputs.models.adapter import lora_tensor
    from llmcalc.inputs.models.config import is_known, read_config
    from llmcalc.inputs.models.headers import model_from_weights
    from llmcalc.inputs.models.unpacked import unpack

    if not checkpoint.tensors:
        raise LlmcalcError(f"{checkpoint.name}: holds no tensors")
    if lora_tensor(checkpoint.tensors):
        raise LlmcalcError(
            f"{checkpoint.name}: holds an adapter, no model; give its folder"
        )
    weights = unpack(checkpoint, config)
    if is_known(config):
        model = read_config(config, checkpoint.name)
        notes = _differences(model, weights)
    elif weights.unknown:
        raise LlmcalcError(
            f"{weights.unknown}: this packing is not known; give a config.json"
        )
    else:
        model, notes = model_from_weights(weights, config, checkpoint.name), ()
    return model._replace(
        dtype=weights.dtype or model.dtype,
        quantization=weights.quantization or model.quantization,
        stored_bytes=checkpoint.payload,
        notes=notes,
    )


def _differences(model: Model, weights: "Weights") -> tuple[str, ...]:
    """Return a note where the files hold another number of weights than the config.

    A tied tensor may be stored under each of its names, and packed layers with
    biases of zeros that the model does not have.
    """
    without = {f"{layer.name}.bias" for layer in model.layers if not layer.bias}
    held = weights.total - sum(
        prod(weights.shapes[name]) for name in without & weights.shapes.keys()
    )
    aliases = [alias for alias, _ in model.tied]
    copies = {
        f"{layer.name}.weight": layer.weight_params
        for layer in model.layers
        if f"{layer.name}.weight" in aliases
    }
    allowed = {model.total, model.total + sum(copies.values())}
    allowed |= {model.total + size for size in copies.values()}
    if weights.unknown or held in allowed:
        return ()
    return (
        f"the files hold {held:,} weights, the config's model "
        f"{model.total:,}: counted is the latter, which is what PEFT loads",
    )
