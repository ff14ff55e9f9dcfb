"""Array files and binaries: shapes, element types, labels inside, headers that lie."""

import io
import json
import sqlite3
import struct
import zipfile

import numpy as np
import pytest
from databases import database_bytes

from llmcalc.errors import LlmcalcError


def refused(read, content, *words, filename, **options):
    with pytest.raises(LlmcalcError) as caught:
        read(content, filename, **options)
    message = str(caught.value)
    assert message.startswith(filename)
    assert "\n" not in message
    for word in words:
        assert word in message, message


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def npz(save=np.savez, **arrays):
    file = io.BytesIO()
    save(file, **arrays)
    return file.getvalue()


def safetensors(**tensors):
    header, data = {}, b""
    for name, (dtype, array) in tensors.items():
        raw = array.tobytes()
        header[name] = {
            "dtype": dtype,
            "shape": list(array.shape),
            "data_offsets": [len(data), len(data) + len(raw)],
        }
        data += raw
    head = json.dumps(header).encode()
    return struct.pack("<Q", len(head)) + head + data


ROWS = np.array([[1, -2, 3], [4, 5, -6]])


@pytest.mark.parametrize(
    "dtype", ["<f2", "<f4", "<f8", ">f4", ">f8", "i1", "<i2", ">i4", "<i8", "<u8"]
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_npy_keeps_its_element_type(read, dtype, order):
    rows = np.array(abs(ROWS) if "u" in dtype else ROWS, dtype, order=order)
    found = read(npy(rows), "a.npy")
    assert found.rows.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(found.rows, rows)
    assert isinstance(found.rows.base, np.memmap) or isinstance(found.rows, np.memmap)
    assert found.place(1) == "index 1"


def test_one_axis_is_one_vector(read):
    assert read(npy(ROWS[0]), "a.npy").rows.shape == (1, 3)
    found = read(safetensors(a=("F32", ROWS[0].astype("<f4"))), "a.safetensors")
    assert found.rows.shape == (1, 3)


def test_bools_and_long_doubles(read):
    assert read(npy(ROWS > 0), "a.npy").rows.tolist() == [[1, 0, 1], [1, 1, 0]]
    found = read(npy(ROWS.astype(np.longdouble)), "a.npy")
    assert found.rows.dtype == np.float64


def test_uint8_says_how_it_was_taken(read):
    content = npy(abs(ROWS).astype(np.uint8))
    assert "--dtype ubinary" in read(content, "a.npy").notes[0]
    found = read(content, "a.npy", dtype="ubinary")
    assert (found.packed, found.rows.dtype, found.notes) == ("ubinary", np.uint8, [])
    around = np.random.default_rng(1).integers(90, 170, (50, 16)).astype(np.uint8)
    assert "zero point" in read(npy(around), "a.npy").notes[1]
    content = struct.pack("<II", 2, 3) + abs(ROWS).astype("u1").tobytes()
    assert read(content, "a.u8bin").notes == []
    assert read(npy(ROWS > 0), "a.npy").notes == []
    signed = np.array([[-128, 127]], np.int8)
    found = read(npy(signed), "a.npy", dtype="binary")
    assert (found.packed, found.rows.tolist()) == ("ubinary", [[0, 255]])


def test_an_element_type_that_is_asked_for(read):
    found = read(npy(ROWS.astype("f8") / 3), "a.npy", dtype="float16")
    assert found.rows.dtype == np.float16
    refused(read, npy(ROWS * 1e300), "float32", filename="a.npy", dtype="float32")
    refused(read, npy(ROWS / 3), "int8", filename="a.npy", dtype="int8")
    refused(read, npy(ROWS * 1000), "int8", filename="a.npy", dtype="int8")
    bits = np.array([[0x3F80, 0xC000]], np.uint16)
    assert read(npy(bits), "a.npy", dtype="bfloat16").rows.tolist() == [[1.0, -2.0]]
    third = read(npy(np.array([1 / 3])), "a.npy", dtype="bfloat16").rows[0, 0]
    assert third == 0.333984375  # 0x3EAB
    with pytest.raises(LlmcalcError, match="--dtype float7: not an element type"):
        read(npy(ROWS), "a.npy", dtype="float7")


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.zeros((2, 3, 4)), ["2 x 3 x 4", "token"]),
        (np.float64(1.0), ["single number"]),
        (np.zeros((0, 4)), ["0 x 4"]),
        (np.array([[1.0, np.nan]]), ["index 0", "component 1", "nan"]),
        (np.array([[1.0, 2.0], [-np.inf, 0]]), ["index 1", "component 0", "-inf"]),
        (np.array(["a", "b"]), ["<U1"]),
        (np.array([[1j, 2]]), ["complex"]),
        (np.zeros(2, [("a", "f4"), ("b", "f4")]), ["a", "b"]),
    ],
)
def test_arrays_that_are_no_vectors(read, array, words):
    refused(read, npy(array), *words, filename="a.npy")


def test_pickles_are_never_opened(read):
    file = io.BytesIO()
    np.save(file, np.array([{"a": 1}], object), allow_pickle=True)
    refused(read, file.getvalue(), "pickle", "numpy.save", filename="a.npy")
    refused(read, b"\x80\x04\x95\x00\x00\x00\x00", "pickle", filename="a.pkl")
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("archive/data.pkl", b"\x80\x02.")
    refused(read, archive.getvalue(), "pickle", filename="a.pt")


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz_takes_the_only_matrix_and_its_labels(read, save):
    rows = ROWS.astype("<f4")
    content = npz(save, embeddings=rows, texts=np.array(["a", "b"]), dim=np.array(3))
    found = read(content, "a.npz")
    assert (found.labels, found.name) == (["a", "b"], "a.npz:embeddings")
    np.testing.assert_array_equal(found.rows, rows)
    mapped = isinstance(found.rows, np.memmap)
    assert mapped == (save is np.savez)
    content = npz(save, v=rows, ids=np.array([7, 9]), other=np.array(["x"]))
    assert read(content, "a.npz").labels == [7, 9]
    content = npz(save, v=rows, names=np.array([b"a", b"\xc3\xa4"]))
    assert read(content, "a.npz").labels == ["a", "ä"]


def test_npz_in_column_order(read):
    found = read(npz(v=np.asfortranarray(ROWS)), "a.npz")
    np.testing.assert_array_equal(found.rows, ROWS)


def test_npz_with_several_matrices_asks(read):
    content = npz(query=ROWS[0], corpus=ROWS)
    refused(read, content, "query, corpus", filename="a.npz")
    assert read(content, "a.npz", part="query").rows.shape == (1, 3)
    assert read(content, "a.npz", key="corpus").rows.shape == (2, 3)
    refused(read, content, "no array 'x'", "query, corpus", filename="a.npz", part="x")
    objects = io.BytesIO()
    np.savez(objects, v=ROWS, ids=np.array([None, {}], object))
    np.testing.assert_array_equal(read(objects.getvalue(), "a.npz").rows, ROWS)
    refused(read, npz(a=np.array(["x"])), filename="a.npz")


def test_safetensors_types(read):
    bits = np.array([[0x3F80, 0xC000, 0x0001]], "<u2")
    found = read(safetensors(a=("BF16", bits)), "a.safetensors")
    assert found.rows.tolist() == [[1.0, -2.0, 9.183549615799121e-41]]
    found = read(safetensors(a=("F16", ROWS.astype("<f2"))), "a.safetensors")
    assert found.rows.dtype == np.float16
    small = np.array([[0x38, 0xC0, 0x7E, 0x01]], "u1")
    found = read(safetensors(a=("F8_E4M3", small)), "a.safetensors")
    assert found.rows.tolist() == [[1.0, -2.0, 448.0, 2.0**-9]]
    small = np.array([[0x3C, 0xC0, 0x7B, 0x01]], "u1")
    found = read(safetensors(a=("F8_E5M2", small)), "a.safetensors")
    assert found.rows.tolist() == [[1.0, -2.0, 57344.0, 2.0**-16]]
    nan = np.array([[0x38, 0x7F]], "u1")
    refused(read, safetensors(a=("F8_E4M3", nan)), "nan", filename="a.safetensors")


def test_safetensors_with_several_tensors_asks(read):
    content = safetensors(a=("F32", ROWS.astype("<f4")), b=("F32", ROWS.astype("<f4")))
    refused(read, content, "a, b", filename="a.safetensors")
    found = read(content, "a.safetensors", part="b")
    assert found.name == "a.safetensors:b"


# TEXMEX and big-ann


def vecs(rows, dtype):
    return b"".join(struct.pack("<i", len(r)) + r.astype(dtype).tobytes() for r in rows)


@pytest.mark.parametrize(
    ("ending", "dtype"), [("fvecs", "<f4"), ("ivecs", "<i4"), ("bvecs", "u1")]
)
def test_texmex(read, ending, dtype):
    rows = abs(ROWS)
    found = read(vecs(rows, dtype), f"a.{ending}")
    assert found.rows.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(found.rows, rows)
    assert any("neighbours" in note for note in found.notes) == (ending == "ivecs")
    refused(read, vecs(rows, dtype)[:-1], "cut off", filename=f"a.{ending}")


def test_texmex_whose_length_changes(read):
    content = vecs(ROWS, "<f4")
    other = content[:16] + struct.pack("<i", 4) + content[20:]
    refused(read, other, "index 1", "4 components", "3", filename="a.fvecs")
    refused(read, struct.pack("<i", -1) + bytes(12), "rows", filename="a.fvecs")
    assert read(content, "renamed.bin", dtype="float32").format == "texmex"


@pytest.mark.parametrize(
    ("ending", "dtype"),
    [
        ("fbin", "<f4"), ("f32bin", "<f4"), ("dbin", "<f8"), ("hbin", "<f2"),
        ("i8bin", "i1"), ("u8bin", "u1"), ("ibin", "<i4"), ("i32bin", "<i4"),
    ],
)  # fmt: skip
def test_big_ann(read, ending, dtype):
    content = struct.pack("<II", 2, 3) + abs(ROWS).astype(dtype).tobytes()
    found = read(content, f"a.{ending}")
    assert found.rows.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(found.rows, abs(ROWS))
    crop = struct.pack("<I", 10**9) + content[4:]
    refused(read, crop, "1000000000", "holds 2", filename=f"a.{ending}")
    refused(read, content[:-1], "holds 1", filename=f"a.{ending}")


def test_big_ann_without_its_name_needs_the_type(read):
    content = struct.pack("<II", 2, 3) + ROWS.astype("<f4").tobytes()
    refused(read, content, "--dtype", filename="a.bin")
    assert read(content, "a.bin", dtype="float32").format == "big-ann"
    bits = struct.pack("<II", 2, 2) + bytes([1, 2, 3, 4])
    assert read(bits, "a.bbin").packed == "ubinary"


# Bytes alone


def test_raw_rows_need_a_type_and_a_width(read):
    content = ROWS.astype("<f4").tobytes()
    refused(read, content, "--dtype", filename="a.raw")
    assert read(content, "a.raw", dtype="float32").rows.shape == (1, 6)
    assert read(content, "a.raw", dtype="float32x3").rows.shape == (2, 3)
    refused(read, content, "rows of 5", filename="a.raw", dtype="float32x5")
    assert read(content[:6], "a.raw", dtype="ubinary").packed == "ubinary"
    assert read(content[:4], "a.raw", dtype="bf16").rows.shape == (1, 2)


def test_a_blob_of_llm_has_a_newline_more(read):
    content = ROWS.astype("<f4").tobytes() + b"\n"
    assert read(content, "blob").rows.tolist() == [[1, -2, 3, 4, 5, -6]]


def test_an_unknown_binary_and_an_empty_file(read):
    refused(read, b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "--dtype", filename="a.png")
    refused(read, b"", "empty", filename="a.npy")


# llm's database


def database(*collections):
    connection = sqlite3.connect(":memory:")
    connection.executescript(
        "create table collections (id integer primary key, name text, model text);"
        "create table embeddings (collection_id integer, id text, embedding blob);"
    )
    for number, (name, blobs) in enumerate(collections, 1):
        connection.execute("insert into collections values (?, ?, 'm')", (number, name))
        connection.executemany(
            "insert into embeddings values (?, ?, ?)",
            [(number, label, blob) for label, blob in blobs],
        )
    connection.commit()
    return database_bytes(connection)


def test_collections_of_llm(read):
    one, two = (np.array(v, "<f4").tobytes() for v in ([0.5, 1], [0.25, 2]))
    content = database(("notes", [("b", one), ("a", two)]), ("more", [("c", one)]))
    refused(read, content, "notes, more", filename="e.db")
    found = read(content, "e.db", part="notes")
    assert found.labels == ["b", "a"]
    assert found.rows.tolist() == [[0.5, 1.0], [0.25, 2.0]]
    assert found.where(1) == "e.db:notes: row 2 (label 'a')"
    refused(read, content, "no collection 'x'", filename="e.db", part="x")
    content = database(("only", [("c", one)]))
    assert read(content, "e.db").labels == ["c"]
    refused(
        read, database(("only", [("c", one[:3])])), "row 1", "'c'", "3", filename="e.db"
    )
    refused(read, database(("only", [("c", None)])), "'c'", filename="e.db")
    refused(read, database(("only", [])), "no vector", filename="e.db")
    refused(read, database(), "none", filename="e.db")


def test_another_database_is_no_llm(read):
    connection = sqlite3.connect(":memory:")
    connection.execute("create table t (x)")
    connection.commit()
    refused(read, database_bytes(connection), "llm", filename="x.db")
    refused(read, b"SQLite format 3\x00" + bytes(200), "llm", filename="x.db")


def test_a_damaged_or_nameless_collection_is_an_error_of_one_line(read):
    one = np.array([0.5, 1], "<f4").tobytes()
    assert read(database((None, [("b", one)])), "e.db").labels == ["b"]
    content = database(("notes", [("b", one)]))
    place = content.lower().index(b"create table embeddings")
    for offset in range(0, 40, 3):
        broken = bytearray(content)
        broken[place + offset] = 0xE0
        try:
            read(bytes(broken), "e.db")
        except LlmcalcError as error:
            assert str(error).startswith("e.db")
            assert "\n" not in str(error)
