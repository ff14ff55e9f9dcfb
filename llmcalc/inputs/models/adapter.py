"""An adapter's folder or one of its files -> its config and its tensors' header.

Start-up is a feature: the reader of headers loads where there is one to read.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from llmcalc.core.lora.layers import LoraConfig
from llmcalc.errors import LlmcalcError
from llmcalc.inputs.models.json_object import read_object
from llmcalc.inputs.models.kinds import (
    check_names,
    first_bytes,
    is_pipe,
    kind_of_file,
)
from llmcalc.inputs.models.lora_config import read_lora_fields, unknown_fields
from llmcalc.inputs.source import Source

if TYPE_CHECKING:
    from llmcalc.inputs.safetensors import TensorInfo

CONFIG = "adapter_config.json"
WEIGHTS = "adapter_model.safetensors"
_PICKLE = "adapter_model.bin"
# kohya and diffusers write lora_down or lora.down, torchtune and MLX lora_a.
# Patterns as text: a model's config needs none of them.
_FOREIGN = r"[._]lora[._](?:down|up|[ab])(?:\.weight)?$"
_ANY_LORA = rf"\.lora_(?:embedding_)?A(?:\.|$)|{_FOREIGN}"
# Names of tensors in the text of a header.
_NAMES = r'"([^"\\]+)":\s*\{'


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


def lora_tensor(names: Iterable[str]) -> str:
    """Return the first name that is LoRA's own, of PEFT or another tool; "" for none.

    >>> lora_tensor(["lm_head.weight", "q.lora_A.weight"])
    'q.lora_A.weight'
    """
    return next((name for name in names if re.search(_ANY_LORA, name)), "")


def is_adapter(source: Source) -> bool:
    """Return whether a source is an adapter: its folder, its config or its tensors.

    Raises LlmcalcError for a safetensors file whose header is damaged.
    """
    path = Path(source.path or "")
    if source.path is not None and path.is_dir():
        here = any((path / name).is_file() for name in (CONFIG, WEIGHTS, _PICKLE))
        return here and not (path / "config.json").is_file()
    if path.name in (CONFIG, WEIGHTS):
        return True
    head = first_bytes(source)
    kind = kind_of_file(head)
    if kind == "json":
        return b'"peft_type"' in head
    if kind != "safetensors":
        return False
    if is_pipe(source):
        # Its header is read once, by who describes it; here its ASCII is enough.
        header = head[8 : 8 + int.from_bytes(head[:8], "little")].decode("latin-1")
        return lora_tensor(re.findall(_NAMES, header)) != ""
    from llmcalc.inputs.safetensors import safetensors_header

    return lora_tensor(safetensors_header(source).tensors) != ""


def read_adapter(source: Source) -> AdapterFiles:
    """Return an adapter from its folder, its config or its safetensors file.

    The other of the two files is read where it lies beside. Nothing is unpickled: of
    an adapter_model.bin only the presence is told.

    Raises LlmcalcError where there is neither file, for names that are another tool's,
    and what the readers of the files raise.
    """
    config, weights, notes = _found(source)
    fields = read_object(config) if config is not None else {}
    settings = _settings(fields, config.name) if config is not None else None
    notes += unknown_fields(fields, config.name) if config is not None else ()
    if weights is None:
        return AdapterFiles(source.name, settings, fields, None, {}, 0, 0, notes)
    from llmcalc.inputs.safetensors import safetensors_header

    header = safetensors_header(weights)
    check_names(header.tensors, weights.name)
    foreign = next((name for name in header.tensors if re.search(_FOREIGN, name)), "")
    if foreign:
        raise LlmcalcError(
            f"{weights.name}: {foreign} is a name of another tool than PEFT; convert "
            "the file to lora_A and lora_B"
        )
    length = 8 + header.header_bytes
    path = weights.plain_path()
    size = max((info.end for info in header.tensors.values()), default=length)
    if path is not None:
        size = Path(path).stat().st_size
    return AdapterFiles(
        *(source.name, settings, fields, weights, header.tensors, length, size, notes)
    )


def _settings(fields: dict[str, Any], name: str) -> LoraConfig:
    if "peft_type" not in fields:
        raise LlmcalcError(f"{name}: no peft_type: not PEFT's config")
    settings = read_lora_fields(fields, name)
    if settings.r < 1:
        raise LlmcalcError(
            f"{name}: r: {settings.r} is not a rank; it must be 1 or more"
        )
    return settings


def _found(source: Source) -> tuple[Source | None, Source | None, tuple[str, ...]]:
    """Return an adapter's config and its weights, None for none, and what is said."""
    alone = f"no {WEIGHTS}: the config alone"
    path = Path(source.path or "")
    is_folder = source.path is not None and path.is_dir()
    is_config = not is_folder and kind_of_file(first_bytes(source)) == "json"
    if is_pipe(source):
        return (source, None, (alone,)) if is_config else (None, source, ())
    folder = path if is_folder else path.parent
    config, weights = _beside(folder, CONFIG), _beside(folder, WEIGHTS)
    if is_config:
        # A config of another name says nothing of the file beside it.
        config, weights = source, weights if path.name == CONFIG else None
    elif not is_folder:
        weights = source
    if weights is not None:
        return config, weights, ()
    pickled = (folder / _PICKLE).is_file()
    if config is None:
        raise LlmcalcError(
            f"{source.name}: holds neither {CONFIG} nor {WEIGHTS}"
            + ("; a pickle is not opened" if pickled else "")
        )
    if pickled:
        alone = f"{_PICKLE} is a pickle, which can run code: not opened; {alone}"
    return config, None, (alone,)


def _beside(folder: Path, name: str) -> Source | None:
    path = folder / name
    return Source(str(path), str(path)) if path.is_file() else None
