"""Stored tensors -> the weights that they stand for: packed formats undone.

bitsandbytes 4-bit keeps a weight's shape beside it, GPTQ and AWQ pack columns of
integers into 32 bits, MXFP4 two numbers into a byte; scales and tables are no weights.
"""

from math import prod
from typing import Any, NamedTuple

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.models.checkpoint import Checkpoint, Stored
from llmcalc.inputs.models.kinds import is_pipe

_FLOATS = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16"}
_FP8 = ("F8_E4M3", "F8_E5M2", "F8_E4M3FNUZ", "F8_E5M2FNUZ")
_QUANT_STATE = ".quant_state.bitsandbytes__"
_BITS4 = ("nf4", "fp4")
# A JSON of a few hundred bytes; more is not one.
_MAX_QUANT_STATE = 65_536
# Two 4-bit numbers a byte.
_PER_BYTE = 2
# What stands beside a packed weight and is no weight itself.
_BESIDE = (
    "absmax", "quant_map", "nested_absmax", "nested_quant_map", "SCB", "weight_format",
    "qzeros", "scales", "g_idx", "weight_scale_inv", "weight_scale", "input_scale",
    "activation_scale", "k_scale", "v_scale", "qscheme",
)  # fmt: skip
# Tables that older files hold, and buffers: no parameters.
_BUFFERS = (
    *("inv_freq", "position_ids", "masked_bias", "num_batches_tracked"),
    "e_score_correction_bias",
)
_UNKNOWN = ("weight_packed", "weight_shape", "W_q", "codes", "codebooks", "trellis")


class Weights(NamedTuple):
    """Logical shapes by name, the format they are packed in, the dtype of the rest.

    ``unknown`` says which tensor is packed in a way that is not known, "" for none.
    """

    shapes: dict[str, tuple[int, ...]]
    quantization: str
    dtype: str
    unknown: str = ""

    @property
    def total(self) -> int:
        """Return the numbers in all weights."""
        return sum(prod(shape) for shape in self.shapes.values())


def unpack(checkpoint: Checkpoint, config: dict[str, Any]) -> Weights:
    """Return the weights that a checkpoint's tensors stand for.

    ``config`` is the model's config.json ({} where there is none): its
    quantization_config tells GPTQ's bits. Raises LlmcalcError for packed tensors that
    don't fit together.
    """
    shapes: dict[str, tuple[int, ...]] = {}
    packed: set[str] = set()
    dtypes: dict[str, int] = {}
    unknown = ""
    for name, stored in checkpoint.tensors.items():
        stem, _, last = name.rpartition(".")
        if last in _UNKNOWN or not _is_known(name, stored, checkpoint):
            unknown = unknown or f"{stored.file.name}: {name} ({stored.info.dtype})"
            continue
        if _is_beside(name, last, checkpoint):
            continue
        if last == "qweight":
            shapes[f"{stem}.weight"], kind = _integers(stem, checkpoint, config)
        elif name.endswith("_blocks"):
            shapes[name.removesuffix("_blocks")], kind = _mxfp4(stored, name), "mxfp4"
        else:
            shapes[name], kind = _plain(name, stored, checkpoint)
        packed.add(kind)
        if not kind:
            size = stored.info.end - stored.info.start
            dtypes[stored.info.dtype] = dtypes.get(stored.info.dtype, 0) + size
    packed.discard("")
    most = max(dtypes, key=lambda dtype: dtypes[dtype], default="")
    kinds = "+".join(sorted(packed))
    return Weights(shapes, kinds, _FLOATS.get(most, ""), unknown)


def _is_beside(name: str, last: str, checkpoint: Checkpoint) -> bool:
    """Return whether a tensor only serves another one, or is a mere table."""
    if last in _BUFFERS or _QUANT_STATE in name:
        return True
    if last in _BESIDE:
        return True
    return name.endswith("_scales") and f"{name[:-7]}_blocks" in checkpoint.tensors


def _is_known(name: str, stored: Stored, checkpoint: Checkpoint) -> bool:
    """Return whether what a tensor's numbers stand for is known."""
    dtype, last = stored.info.dtype, name.rpartition(".")[2]
    if dtype in _FLOATS or dtype in _FP8 or _is_beside(name, last, checkpoint):
        return True
    if last == "qweight" or name.endswith("_blocks"):
        return dtype in ("I32", "U8")
    beside = [f"{name}{_QUANT_STATE}{kind}" for kind in _BITS4]
    beside += [f"{name.removesuffix('.weight')}.SCB"] if dtype == "I8" else []
    return any(other in checkpoint.tensors for other in beside)


def _plain(
    name: str, stored: Stored, checkpoint: Checkpoint
) -> tuple[tuple[int, ...], str]:
    """Return shape and packing of a tensor that bears its weight's own name."""
    if stored.info.dtype in _FLOATS:
        return stored.info.shape, ""
    for kind in _BITS4:
        state = checkpoint.tensors.get(f"{name}{_QUANT_STATE}{kind}")
        if state is not None:
            return _quant_shape(f"{name}{_QUANT_STATE}{kind}", state), kind
    return stored.info.shape, "int8" if stored.info.dtype == "I8" else "fp8"


def _quant_shape(name: str, state: Stored) -> tuple[int, ...]:
    """Return the shape that bitsandbytes wrote beside a 4-bit weight, as JSON."""
    import json

    file, info = state.file, state.info
    length = info.end - info.start
    if length > _MAX_QUANT_STATE:
        raise LlmcalcError(f"{file.name}: {name}: {length} bytes are too many")
    if is_pipe(file):
        raise LlmcalcError(
            f"{file.name}: {name}: shapes of 4-bit weights lie between the weights; "
            "give the file itself"
        )
    with file.open() as stream:
        if file.plain_path() is not None:
            stream.seek(info.start)
        else:
            stream.read(info.start)
        text = stream.read(length)
    try:
        shape = json.loads(text)["shape"]
    except (ValueError, TypeError, KeyError, RecursionError):
        shape = None
    if not isinstance(shape, list) or not all(
        type(extent) is int and extent > 0 for extent in shape
    ):
        raise LlmcalcError(f"{file.name}: {name}: holds no shape")
    return tuple(shape)


def _integers(
    stem: str, checkpoint: Checkpoint, config: dict[str, Any]
) -> tuple[tuple[int, ...], str]:
    """Return out x in of a GPTQ or AWQ weight from its packed integers.

    GPTQ packs rows: in = rows 32 / bits, out = columns. AWQ packs columns:
    in = rows, out = columns 32 / bits.
    """
    tensors = checkpoint.tensors
    stored, scales = tensors[f"{stem}.qweight"], tensors.get(f"{stem}.scales")
    where = f"{stored.file.name}: {stem}.qweight"
    shape = stored.info.shape
    if len(shape) != 2 or scales is None or len(scales.info.shape) != 2:
        raise LlmcalcError(f"{where}: is neither GPTQ nor AWQ: no scales of two axes")
    rows, columns = shape
    outputs = scales.info.shape[1]
    section = config.get("quantization_config")
    bits = section.get("bits", 4) if isinstance(section, dict) else 4
    if type(bits) is not int or bits not in (2, 3, 4, 8):
        raise LlmcalcError(f"{where}: {bits!r:.40} bits are not known")
    index = tensors.get(f"{stem}.g_idx")
    if outputs == columns:
        inputs = index.info.shape[0] if index is not None else rows * 32 // bits
        return (outputs, inputs), "gptq"
    if outputs * bits == columns * 32:
        return (outputs, rows), "awq"
    raise LlmcalcError(
        f"{where}: {rows} x {columns} with scales of {outputs} columns is neither GPTQ "
        f"nor AWQ of {bits} bits"
    )


def _mxfp4(stored: Stored, name: str) -> tuple[int, ...]:
    """Return experts x d_out x d_in: the last two axes are blocks of packed bytes."""
    shape = stored.info.shape
    if len(shape) < 3:
        raise LlmcalcError(f"{stored.file.name}: {name}: is not MXFP4")
    *outer, blocks, width = shape
    return (*outer, blocks * width * _PER_BYTE)
