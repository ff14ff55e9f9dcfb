"""Which safetensors files make up a model, and what their headers say together.

Only headers are read: a shard of 40 GB costs a few kilobytes.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.models.json_object import read_object
from llmcalc.inputs.models.kinds import check_names
from llmcalc.inputs.safetensors import Header, TensorInfo, safetensors_header
from llmcalc.inputs.source import Source

_INDEX = "model.safetensors.index.json"
_SINGLE = "model.safetensors"
# More shards than any model has.
_MAX_SHARDS = 10_000


class Stored(NamedTuple):
    """A tensor as a header has it, and the file that holds it."""

    info: TensorInfo
    file: Source


class Checkpoint(NamedTuple):
    """All tensors of a model's files by name, and the bytes of their data."""

    name: str
    tensors: dict[str, Stored]
    payload: int
    metadata: dict[str, str]


def read_files(files: Iterable[Source], name: str) -> Checkpoint:
    """Return the tensors of several safetensors files as one checkpoint.

    Raises LlmcalcError for a damaged header and for a tensor that two files hold.
    """
    checkpoint = Checkpoint(name, {}, 0, {})
    payload = 0
    for file in files:
        header: Header = safetensors_header(file)
        check_names(header.tensors, file.name)
        for tensor, info in header.tensors.items():
            other = checkpoint.tensors.get(tensor)
            if other is not None:
                raise LlmcalcError(
                    f"{file.name}: {tensor} is in {other.file.name} already"
                )
            checkpoint.tensors[tensor] = Stored(info, file)
            payload += info.end - info.start
        checkpoint.metadata.update(header.metadata)
    return checkpoint._replace(payload=payload)


def read_index(index: Source) -> Checkpoint:
    """Return the tensors that a sharded model's index lists, from its shards.

    Raises LlmcalcError for an index of another form, a shard that is missing or lies
    elsewhere, and a listed tensor that its shard lacks.
    """
    listed = read_object(index).get("weight_map")
    if not isinstance(listed, dict) or not listed:
        raise LlmcalcError(f"{index.name}: no weight_map: not the index of a model")
    check_names(listed, index.name)
    folder = Path(index.path or ".").parent
    shards: dict[str, Source] = {}
    for tensor, shard in listed.items():
        if not isinstance(shard, str) or Path(shard).name != shard:
            raise LlmcalcError(
                f"{index.name}: {tensor}: {shard!r:.80} is not a file here"
            )
        if shard not in shards and len(shards) == _MAX_SHARDS:
            raise LlmcalcError(f"{index.name}: lists more than {_MAX_SHARDS} shards")
        shards.setdefault(shard, Source(str(folder / shard), str(folder / shard)))
    for source in shards.values():
        if not Path(source.name).is_file():
            raise LlmcalcError(f"{source.name}: this shard of {index.name} is missing")
    checkpoint = read_files(shards.values(), index.name)
    for tensor, shard in listed.items():
        stored = checkpoint.tensors.get(tensor)
        if stored is None or stored.file != shards[shard]:
            raise LlmcalcError(
                f"{shards[shard].name}: {tensor} of the index is not in it"
            )
    return checkpoint


def folder_files(folder: Path) -> Source | list[Source] | None:
    """Return a folder's index, else its safetensors files, else None.

    As transformers does: model.safetensors first, then the index, then a complete set
    of shards or the only file. Raises LlmcalcError where it is not clear which.
    """
    single, index = folder / _SINGLE, folder / _INDEX
    if single.is_file():
        return [_source(single)]
    if index.is_file():
        return _source(index)
    others = sorted(folder.glob("*.safetensors"))
    indices = sorted(folder.glob("*.safetensors.index.json"))
    if len(indices) == 1:
        return _source(indices[0])
    if not others:
        return None
    counts = {shards_of(path.name) for path in others}
    if len(others) == 1 and counts == {0}:
        return [_source(others[0])]
    if len(counts) == 1 and counts == {len(others)}:
        return [_source(path) for path in others]
    if counts != {0}:
        raise LlmcalcError(
            f"{folder}: {len(others)} of {max(counts)} shards and no index: some are "
            "missing"
        )
    names = ", ".join(path.name for path in others[:4])
    raise LlmcalcError(
        f"{folder}: {len(others)} safetensors files, no index ({names} ...); give one"
    )


def shards_of(name: str) -> int:
    """Return of how many shards a file's name says it is one; 0 where it does not.

    >>> shards_of("model-00001-of-00003.safetensors"), shards_of("model.safetensors")
    (3, 0)
    """
    _, of, rest = name.partition("-of-")
    digits = rest.partition(".")[0]
    return int(digits) if of and digits.isascii() and digits.isdigit() else 0


def _source(path: Path) -> Source:
    return Source(str(path), str(path))
