"""The table of byte layouts: a row each, in the order in which they are tried."""

from llmcalc.inputs.vectors import (
    arrow_table,
    big_ann,
    llm_database,
    npy_file,
    npz_file,
    raw_bytes,
    safetensors_file,
    texmex,
    word2vec_binary,
)
from llmcalc.inputs.vectors.byte_input import ByteInput
from llmcalc.inputs.vectors.family import ByteFamily

BYTES = (
    ByteFamily("npy", ".npy", npy_file.recognise, npy_file.read),
    ByteFamily("npz", ".npz", npz_file.recognise, npz_file.read),
    ByteFamily(
        "safetensors", "safetensors", safetensors_file.recognise, safetensors_file.read
    ),
    ByteFamily(
        "llm-database", "llm's database", llm_database.recognise, llm_database.read
    ),
    ByteFamily(
        "word2vec-binary",
        "word2vec binary",
        word2vec_binary.recognise,
        word2vec_binary.read,
    ),
    ByteFamily("texmex", ".fvecs .ivecs .bvecs", texmex.recognise, texmex.read),
    ByteFamily("big-ann", ".fbin .u8bin .i8bin ..", big_ann.recognise, big_ann.read),
    ByteFamily(
        "arrow", "Parquet and Arrow (extra)", arrow_table.recognise, arrow_table.read
    ),
    ByteFamily(
        "raw", "raw numbers, llm embed -f blob", raw_bytes.recognise, raw_bytes.read
    ),
)


def byte_family(file: ByteInput) -> ByteFamily | None:
    """Return the family whose layout a file has, if any."""
    return next((family for family in BYTES if family.recognise(file)), None)
