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
        "llama-embedding", "llama-embedding", llama_print.recognise, llama_print.read
    ),
    TextFamily("llm", "llm embed -f hex/base64", llm_text.recognise, llm_text.read),
    TextFamily(
        "word2vec",
        "word2vec, gensim and fastText .vec text",
        words.recognise_word2vec,
        words.read_word2vec,
    ),
    TextFamily(
        "pgvector", "pgvector COPY and pg_dump", pg_copy.recognise, pg_copy.read
    ),
    TextFamily("printed", "printed arrays", printed.recognise, printed.read),
    TextFamily("glove", "GloVe", words.recognise_glove, words.read_glove),
    TextFamily(
        "table",
        "CSV and TSV: components, or a printed vector in a cell",
        delimited_table.recognise,
        delimited_table.read,
    ),
    TextFamily("numbers", "numbers a line", number_rows.recognise, number_rows.read),
)


def text_family(text: TextInput) -> TextFamily:
    """Return the family whose layout a text has; numbers, if it has no other."""
    return next(family for family in TEXT if family.recognise(text))
