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
    ByteFamily(
        "npy",
        "NumPy .npy arrays",
        npy_file.recognise,
        npy_file.read,
    ),
    ByteFamily(
        "npz",
        "NumPy .npz archives, with labels inside",
        npz_file.recognise,
        npz_file.read,
        parted=True,
    ),
    ByteFamily(
        "safetensors",
        "safetensors, bfloat16 and 8-bit floats included",
        safetensors_file.recognise,
        safetensors_file.read,
        parted=True,
    ),
    ByteFamily(
        "llm-database",
        "the SQLite database of llm, FILE:COLLECTION",
        llm_database.recognise,
        llm_database.read,
        parted=True,
    ),
    ByteFamily(
        "word2vec-binary",
        "word vectors in the binary of word2vec and gensim",
        word2vec_binary.recognise,
        word2vec_binary.read,
    ),
    ByteFamily(
        "texmex",
        "TEXMEX .fvecs, .ivecs and .bvecs",
        texmex.recognise,
        texmex.read,
    ),
    ByteFamily(
        "big-ann",
        "big-ann and usearch .fbin, .hbin, .i8bin, .u8bin, .bbin and the like",
        big_ann.recognise,
        big_ann.read,
    ),
    ByteFamily(
        "arrow",
        "Parquet and Arrow list columns (extra parquet)",
        arrow_table.recognise,
        arrow_table.read,
        parted=True,
    ),
    ByteFamily(
        "raw",
        "raw numbers without a header (--dtype), llm embed -f blob",
        raw_bytes.recognise,
        raw_bytes.read,
    ),
)


def byte_family(file: ByteInput) -> ByteFamily | None:
    """Return the family whose layout a file has, if any."""
    return next((family for family in BYTES if family.recognise(file)), None)
