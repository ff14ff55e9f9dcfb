"""An adapter's folder or one of its files -> its config and its tensors' header.

Start-up is a feature: the reader of headers loads where there is one to read.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from llmcalc.core.lora.layers import LoraConfig
from llmcalc.errors import LlmcalcError
from llmcalc.inputs.models.json_object import read_object
from llmcalc.inputs.models.lora_config import read_lora_fields
from llmcalc.inputs.source import Source

if TYPE_CHECKING:
    from llmcalc.inputs.safetensors import TensorInfo

CONFIG = "adapter_config.json"
WEIGHTS = "adapter_model.safetensors"
_PICKLE = "adapter_model.bin"


class AdapterFiles(NamedTuple):
    """What there is of an adapter.

    ``fields`` are all those of its config, ``config`` the ones that count (None where
    there is no config). ``weights`` is the safetensors file (None where there is none),
    ``tensors`` its header, ``header_bytes`` that with its length, ``file_bytes`` the
    size. ``notes`` are warnings.
    """

    name: str
    config: LoraConfig | None
    fields: dict[str, Any]
    weights: Source | None
    tensors: "dict[str, TensorInfo]"
    header_bytes: int
    file_bytes: int
    notes: tuple[str, ...] = ()


def is_adapter(source: Source) -> bool:
    """Return whether a source is an adapter: its folder, its config or its tensors.

    Raises LlmcalcError for a safetensors file whose header is damaged.
    """
    if source.path is None:
        return False
    path = Path(source.path)
    if path.is_dir():
        here = any((path / name).is_file() for name in (CONFIG, WEIGHTS, _PICKLE))
        return here and not (path / "config.json").is_file()
    if path.name in (CONFIG, WEIGHTS):
        return True
    if path.suffix != ".safetensors":
        return False
    from llmcalc.inputs.safetensors import safetensors_header

    return any(".lora_A." in name for name in safetensors_header(source).tensors)


def read_adapter(source: Source) -> AdapterFiles:
    """Return an adapter from its folder, its config or its safetensors file.

    The other of the two files is read where it lies beside. Nothing is unpickled: of
    an adapter_model.bin only the presence is told.

    Raises LlmcalcError where there is neither file, and what their readers raise.
    """
    path = Path(source.path or "")
    weights: Source | None
    if path.is_dir():
        config, weights = _beside(path, CONFIG), _beside(path, WEIGHTS)
    elif path.name == CONFIG:
        config, weights = source, _beside(path.parent, WEIGHTS)
    else:
        config, weights = _beside(path.parent, CONFIG), source
    if config is None and weights is None:
        raise LlmcalcError(
            f"{source.name}: holds neither {CONFIG} nor {WEIGHTS}"
            + ("; a pickle is not opened" if (path / _PICKLE).is_file() else "")
        )
    notes: tuple[str, ...] = ()
    if weights is None:
        folder = path if path.is_dir() else path.parent
        pickled = (folder / _PICKLE).is_file()
        notes = (
            f"{_PICKLE} is a pickle, which can run code: not opened; the config alone"
            if pickled
            else f"no {WEIGHTS}: the config alone",
        )
    fields = read_object(config) if config is not None else {}
    settings = read_lora_fields(fields, config.name) if config is not None else None
    if weights is None:
        return AdapterFiles(source.name, settings, fields, None, {}, 0, 0, notes)
    from llmcalc.inputs.safetensors import safetensors_header

    header = safetensors_header(weights)
    size = Path(weights.path or "").stat().st_size if weights.path else 0
    length = 8 + header.header_bytes
    tensors = header.tensors
    return AdapterFiles(
        source.name, settings, fields, weights, tensors, length, size, notes
    )


def _beside(folder: Path, name: str) -> Source | None:
    path = folder / name
    return Source(str(path), str(path)) if path.is_file() else None
