"""The table of text layouts: a row each, in the order in which they are tried."""

from llmcalc.inputs.vectors import (
    delimited_table,
    llama_print,
    llm_text,
    number_rows,
    pg_copy,
    printed,
    words,
)
from llmcalc.inputs.vectors.family import TextFamily
from llmcalc.inputs.vectors.text_input import TextInput

TEXT = (
    TextFamily(
        "llama-embedding",
        "the print of llama-embedding, where it is whole",
        llama_print.recognise,
        llama_print.read,
    ),
    TextFamily(
        "llm",
        "text of llm embed -f hex and -f base64",
        llm_text.recognise,
        llm_text.read,
    ),
    TextFamily(
        "word2vec",
        "word vectors as text with a header: word2vec, gensim, fastText .vec",
        words.recognise_word2vec,
        words.read_word2vec,
    ),
    TextFamily(
        "pgvector",
        "Postgres COPY text and pg_dump with pgvector columns",
        pg_copy.recognise,
        pg_copy.read,
        parted=True,
    ),
    TextFamily(
        "printed",
        "arrays as printed by numpy, torch, Python or Postgres",
        printed.recognise,
        printed.read,
    ),
    TextFamily(
        "glove",
        "word vectors as text without a header: GloVe",
        words.recognise_glove,
        words.read_glove,
    ),
    TextFamily(
        "table",
        "CSV and TSV: a component a column, or a whole vector in a cell",
        delimited_table.recognise,
        delimited_table.read,
        parted=True,
    ),
    TextFamily(
        "numbers",
        "plain numbers: a vector a line, or one vector as a number a line",
        number_rows.recognise,
        number_rows.read,
        parted=True,
    ),
)


def text_family(text: TextInput) -> TextFamily:
    """Return the family whose layout a text has; numbers, if it has no other."""
    return next((family for family in TEXT if family.recognise(text)), TEXT[-1])
