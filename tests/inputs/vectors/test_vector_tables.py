"""Text tables: rows, columns, labels, cells that hold a vector, what is ambiguous."""

import numpy as np
import pytest

from llmcalc.errors import LlmcalcError


def refused(read, content, *words, filename="table.csv", **options):
    with pytest.raises(LlmcalcError) as caught:
        read(content, filename, **options)
    message = str(caught.value)
    assert message.startswith(filename), message
    assert "\n" not in message
    for word in words:
        assert word in message, message


# Numbers alone


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [" ", "\t", ",", ", ", ";", "  \t "])
def test_numbers_whatever_parts_them(read, mark, end):
    lines = ["# three numbers a line", "", mark.join(["0.5", "-1", "2e-3"]), "1 2 .5"]
    found = read(end.join([*lines, ""]))
    assert found.rows.tolist() == [[0.5, -1.0, 0.002], [1.0, 2.0, 0.5]]
    assert [found.place(i) for i in (0, 1)] == ["line 3", "line 4"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark(read, encoding):
    assert read("0.5 0.25\n1 .5\n".encode(encoding)).rows.shape == (2, 2)
    found = read("Zürich 0.5 0.25\nBern 1 0\n".encode(encoding))
    assert found.labels == ["Zürich", "Bern"]
    found = read("name,x0,x1\nZürich,0.5,0.25\n".encode(encoding))
    assert found.labels == ["Zürich"]


def test_decimal_commas_are_refused(read):
    refused(read, "0,5;0,25\n1,5;2,5\n", "line 1", "decimal point", filename="de.csv")


@pytest.mark.parametrize("size", range(4))
def test_text_in_another_encoding_is_no_blob_of_floats(read, size):
    text = "name,x0,x1\nZürich,0.5,0.25\n" + "a" * size + ",1,2\n"
    refused(read, text.encode("latin-1"), "line 2", "0xfc", "iconv")


def test_json_in_utf_16_and_with_a_mark(read):
    for encoding in ("utf-16", "utf-8-sig"):
        found = read("[[0.5, 0.25], [1, 2]]".encode(encoding), "a.json")
        assert found.rows.tolist() == [[0.5, 0.25], [1, 2]]


def test_letters_cut_where_the_look_ends(read):
    text = "name,x0,x1\n" + "ß€,0.5,0.25\n" * 40_000
    assert len(text.encode()) > 1 << 18
    assert read(text, "t.csv").rows.shape == (40_000, 2)


def test_a_column_of_numbers_is_one_vector(read):
    found = read("0.5\n\n# no\n-1.5\n1e-3\n")
    assert found.rows.tolist() == [[0.5, -1.5, 1e-3]]
    assert read("7\n").rows.tolist() == [[7.0]]
    refused(read, "0.5\n1 2\n", "line 2", "2 numbers")
    refused(read, "0.5\n\nnan\n", "line 3", "nan")
    refused(read, "0.5\nx\n", "line 2", "'x'")


def test_a_column_of_integers_that_may_be_ids_is_asked_about(read):
    for mark in (",", " ", "\t"):
        content = "7,0.5,0.25\n3,1.5,0.125\n".replace(",", mark)
        refused(read, content, "--column 1-", "--column 0-", filename="ids.txt")
        found = read(content, column="1-")
        assert (found.rows.shape, found.labels) == ((2, 2), [7, 3])
        found = read(content, column="0-")
        assert (found.rows.shape, found.labels) == ((2, 3), None)


@pytest.mark.parametrize(
    "content", ["1 0.5 0\n0 0.25 1\n", "1 2 3\n4 5 6\n", "1 0.5 0.5\n1 0.25 0.5\n"]
)
def test_whole_numbers_that_are_no_ids(read, content):
    assert read(content).rows.shape == (2, 3)


def test_names_that_count_from_0_are_no_vector(read):
    found = read("0,1,2\n0.5,0.25,1.5\n0.1,0.2,0.3\n")
    assert found.rows.tolist() == [[0.5, 0.25, 1.5], [0.1, 0.2, 0.3]]
    assert "line 1" in found.notes[0]
    found = read(",0,1,2\na,0.5,0.25,1.5\nb,0.1,0.2,0.3\n")
    assert (found.labels, found.rows.shape) == (["a", "b"], (2, 3))


def test_llama_embedding_prints(read):
    shortened = "embedding 0:  0.1  0.2 ...  0.3\nembedding 1:  0.1 0.2\n"
    refused(read, shortened, "--embd-output-format raw", filename="out.txt")
    several = "embedding 0: 0.1 0.2\nembedding 1: 0.3 0.4\n"
    refused(read, several, "raw", filename="out.txt")
    assert read("embedding 0:  0.5 -0.25 \n").rows.tolist() == [[0.5, -0.25]]


# Tables


def test_numbered_components_beside_ids_and_names(read):
    text = 'id,label,dim_0,dim_1,score\n1,"a, b",0.5,0.25,9\n2,"c ""d""",1.5,2,8\n'
    found = read(text, "t.csv")
    assert found.labels == ["a, b", 'c "d"']
    assert found.rows.tolist() == [[0.5, 0.25], [1.5, 2.0]]
    assert found.place(1) == "line 3"


def test_two_groups_of_components_are_asked_about(read):
    text = "id,t0,t1,b0,b1\nx,0.5,0.25,1,2\n"
    refused(read, text, "t, b", "--column")
    assert read(text, "t.csv", column="b").rows.tolist() == [[1.0, 2.0]]
    assert read(text, "t.csv", column="1-2").rows.tolist() == [[0.5, 0.25]]
    refused(read, text, "no column 'zz'", "t0", column="zz")


def test_columns_with_names_of_their_own(read):
    found = read("name,height,weight\na,1.5,60\nb,1.25,70\n", "t.csv")
    assert (found.labels, found.rows.shape) == (["a", "b"], (2, 2))
    found = read("id,height,weight,score\n7,1.5,60,3\n", "t.csv")
    assert (found.labels, found.rows.tolist()) == (["7"], [[1.5, 60.0]])
    assert "height, weight" in found.notes[0]


def test_one_column_asked_for_is_one_vector(read):
    text = "name,x,y\na,0.5,1\nb,0.25,2\n"
    assert read(text, "t.csv", part="y").rows.tolist() == [[1.0, 2.0]]
    assert read(text, "t.csv", column="1").rows.tolist() == [[0.5, 0.25]]


def test_quoted_numbers_and_line_breaks_inside_quotes(read):
    found = read('"a\nb","0.5","1"\n"c","0.25","2"\n', "t.csv")
    assert found.labels == ["a\nb", "c"]
    assert found.place(1) == "line 3"


@pytest.mark.parametrize(
    "cell",
    [
        "[0.5, -0.25, 1e-07]", "[0.5 -0.25\n 1.e-07]", "{0.5,-0.25,1e-07}",
        "(0.5, -0.25, 1e-07)", "array([0.5, -0.25, 1e-07], dtype=float32)",
        "[np.float32(0.5), np.float32(-0.25), np.float32(1e-07)]", "0.5 -0.25 1e-07",
        "[[0.5, -0.25, 1e-07]]", "{1:0.5,2:-0.25,3:1e-07}/3",
    ],
)  # fmt: skip
@pytest.mark.parametrize("header", ["text,n_tokens,embedding\n", ""])
def test_a_vector_in_a_cell(read, header, cell):
    text = f'{header}"red, old",4,"{cell}"\n"wet clay",2,"{cell}"\n'
    found = read(text, "t.csv")
    assert found.labels == ["red, old", "wet clay"]
    assert found.rows.tolist() == [[0.5, -0.25, 1e-07]] * 2
    assert found.place(0) == f"line {1 + bool(header)}"


def test_base64_and_hex_in_a_cell(read):
    raw = np.array([0.5, -2.0], "<f4").tobytes()
    found = read(f"id,embedding\na,{raw.hex().upper()}\n", "t.csv")
    assert found.rows.tolist() == [[0.5, -2.0]]
    found = read("id,vector\na,AAAAPwAAAMA=\n", "t.csv")
    assert found.rows.tolist() == [[0.5, -2.0]]


@pytest.mark.parametrize("width", [8, 9, 50, 75])
@pytest.mark.parametrize("dtype", ["int8", "ubinary", "float16"])
def test_hex_of_any_length_is_no_base64(read, width, dtype):
    raw = np.arange(width * 2, dtype="i1") % 90
    text = f"id,embedding\na,{raw.tobytes().hex().upper()}\n"
    wanted = raw.view({"int8": "i1", "ubinary": "u1", "float16": "<f2"}[dtype])
    for content, name in ((text, "t.csv"), (raw.tobytes().hex(), "a.hex")):
        found = read(content, name, dtype=dtype)
        np.testing.assert_array_equal(found.rows[0], wanted)


@pytest.mark.parametrize("encoded", ["0000003F000000C0", "AAAAPwAAAMA="])
def test_a_width_that_is_said_is_held_to(read, encoded):
    for content, name in ((encoded, "a.txt"), (f"id,vec\na,{encoded}\n", "t.csv")):
        assert read(content, name, dtype="float32x2").rows.tolist() == [[0.5, -2.0]]
        refused(read, content, "8 bytes", "3 float32", filename=name, dtype="float32x3")


def test_two_columns_of_vectors_are_asked_about(read):
    text = 'id,title_vec,body_vec\na,"[1, 2]","[3, 4]"\n'
    refused(read, text, "title_vec, body_vec")
    assert read(text, "t.csv", part="body_vec").rows.tolist() == [[3.0, 4.0]]


def test_broken_tables(read):
    refused(read, "name,x0,x1\na,0.5,1\nb,0.5\n", "line 3", "2 fields", "3")
    refused(read, "name,x0,x1\na,0.5,1\nb,0.5,\n", "line 3", "x1", "empty")
    rows = "name,x0,x1\n" + "a,0.5,1\n" * 300
    refused(read, rows + "b,0.5,q\n", "line 302", "x1", "'q'")
    refused(read, 'text,embedding\na,"[0.1, ..., 0.2]"\n', "line 2", "shortened")
    refused(read, 'text,embedding\na,"[0.1, 0.2]"\nb,"[0.1]"\n', "line 3", "1", "2")
    refused(read, 'text,embedding\na,"[0.1, 0.2]"\nb,\n', "line 3", "empty")
    refused(read, 'text,embedding\na,"[0.1, 0.2]"\nb,"[0.1, null]"\n', "line 3", "null")
    refused(read, 'text,embedding\na,"[0.1, 0.2]"\nb,"[0.1, NaN]"\n', "line 3", "nan")
    refused(read, "name,colour\na,red\n", "no column holds a vector")
    refused(read, "name,x0,x1\n", "no rows")
    refused(read, "hello world\n", "'hello'", filename="a.txt")
    refused(read, "\n\n", filename="a.txt")


@pytest.mark.parametrize("header", ["name,x0,x1,x2\n", "name,long,wide,high\n", ""])
@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("others", [1, 2, 30])
def test_a_component_that_is_no_number_is_named(read, header, place, others):
    wrong = ["0.5", "1", "2.5"]
    wrong[place] = "oops"
    good = "\n".join(f"{name},0.25,1.5,2" for name in "abcdefghij"[: min(others, 9)])
    text = f"{header}{good}\nz,{','.join(wrong)}\n"
    line = text.count("\n")
    refused(read, text, f"line {line}: column ", "'oops'")
    text = f"{header}z,{','.join(wrong)}\n{good}\n"
    if header:
        refused(read, text, "line 2: column ", "'oops'")


def test_labels_that_are_numbers_now_and_then(read):
    for header in ("", "word,x0,x1\n"):
        found = read(f"{header}the,0.5,1.5\n2008,1.5,2.5\n7,2.5,0.5\n", "t.csv")
        assert found.labels == ["the", "2008", "7"]
        assert found.rows.shape == (3, 2)


def test_a_cell_that_is_no_vector_is_named(read):
    text = 'text,embedding\na,"[1,2]"\nb,oops\nc,"[2,3]"\n'
    refused(read, text, "line 3: column embedding", "'oops'")


# Postgres


def test_copy_text_of_pgvector(read):
    text = "1\ta\\tb\\\\c\t[0.5,-0.25]\n2\tx\t[1e-7,3]\n"
    found = read(text, "items.copy")
    assert found.labels == ["a\tb\\c", "x"]
    assert found.rows.tolist() == [[0.5, -0.25], [1e-7, 3.0]]
    refused(read, text + "3\ty\t\\N\n", "line 3", "NULL", filename="items.copy")


def test_a_dump_names_its_columns(read):
    dump = (
        "SET client_encoding = 'UTF8';\n"
        "COPY public.other (id) FROM stdin;\n1\n\\.\n"
        "COPY public.items (id, body, embedding) FROM stdin;\n"
        "1\thello\t[0.5,0.25]\n2\t\\N\t[0.1,0.2]\n\\.\n"
        "SELECT 1;\n"
    )
    found = read(dump, "dump.sql")
    assert found.labels == ["hello", 1]
    assert found.rows.tolist() == [[0.5, 0.25], [0.1, 0.2]]
    assert found.place(0) == "line 6"


def test_sparse_vectors_count_from_1(read):
    found = read("{1:0.5,3:2}/5\n{2:1}/5\n")
    assert found.rows.tolist() == [[0.5, 0, 2, 0, 0], [0, 1, 0, 0, 0]]
    refused(read, "{6:0.5}/5\n", "line 1", "6:0.5", filename="a.txt")
    refused(read, "{1:0.5}/99999999\n", "too wide", filename="a.txt")


def test_bits_are_packed_where_they_fill_bytes(read):
    found = read("1\t01000001\n2\t11111110\n", "bits.copy")
    assert found.packed == "ubinary"
    assert found.rows.tolist() == [[65], [254]]
    found = read("0100000110\n1111111000\n", "bits.copy")
    assert found.packed is None
    assert found.rows.tolist()[0] == [-1, 1, -1, -1, -1, -1, -1, 1, 1, -1]


# Prints


def test_a_print_of_numpy(read):
    text = "[[ 0.5  -0.25]\n [ 1.     2.  ]]\n"
    assert read(text).rows.tolist() == [[0.5, -0.25], [1.0, 2.0]]
    assert read("[0.5 -0.25\n 1.]").rows.tolist() == [[0.5, -0.25, 1.0]]
    text = "array([[ 0.5, -0.25],\n       [ 1.,  2.]], dtype=float32)\n"
    assert read(text).rows.tolist() == [[0.5, -0.25], [1.0, 2.0]]
    text = "tensor([[ 0.5, -0.25],\n        [ 1.,  2.]], device='cuda:0')\n"
    assert read(text).rows.tolist() == [[0.5, -0.25], [1.0, 2.0]]
    refused(read, "[[0.5 0.25 ... 1.]\n [0.1 0.2 ... 1.]]", "...", filename="p.txt")
    refused(read, "[[[0.5 0.25]\n  [0.1 0.2]]]", "third dimension", filename="p.txt")
    refused(read, "[0.5 0.25] and more", "and more", filename="p.txt")


def test_hex_and_base64_of_llm(read):
    raw = np.array([0.5, -2.0, 3.25], "<f4").tobytes()
    assert read(raw.hex()).rows.tolist() == [[0.5, -2.0, 3.25]]
    found = read(np.array([0.5, -2.0], "<f2").tobytes().hex() * 2, dtype="float16")
    assert found.rows.tolist() == [[0.5, -2.0, 0.5, -2.0]]
    refused(read, "AAAAPwAAwH8AAAAA\n", "nan", filename="a.b64")
    assert read("12345678\n").rows.tolist() == [[12345678.0]]
