"""The language of the table of families: rows of modules with formulas for sizes.

    layers[num_hidden_layers]
      self_attn.q_proj  Linear  hidden_size  num_attention_heads*head_dim  bias=qkv_bias

A row is a name, a kind, sizes, options. A line of a name with ``[FIELD]`` alone opens
a block: the indented rows repeat for each index below FIELD (or in it, where FIELD is
computed to be a list). Sizes are sums of products of config fields and whole numbers.

A dotted field is one of a config inside the config: text_config.hidden_size.

kinds    Linear, Conv1D, Embedding, Conv1d, Conv2d, MultiheadAttention: d_in d_out
         LayerNorm (weight and bias), Norm (weight): size;  Tensor: shape
         Module: no weight;  Family: the family whose config is in FIELD
options  bias, bias=FIELD; kernel=3,3; groups=SIZE; if=FIELD, unless=FIELD
         ties=NAME, biasties=NAME: one tensor where tie_word_embeddings; is=NAME:
         always one; output, embedding: the output layer, the input embedding;
         transposed: a stack of experts of inputs x outputs
"""

from collections.abc import Iterator
from typing import NamedTuple

from llmcalc.core.lora.layers import Layer, Parameter
from llmcalc.errors import LlmcalcError
from llmcalc.inputs.models.fields import Fields

# More layers than any model has: a file that asks for them is broken.
MAX_LAYERS = 100_000
_BARE = ("Tensor", "Norm", "LayerNorm")
_MARKS = ("output", "embedding")
_FLAGS = ("bias", "transposed", *_MARKS)


class Part(NamedTuple):
    """What rows came to: layers, bare tensors, modules without any, ties."""

    layers: list[Layer]
    parameters: list[Parameter]
    modules: list[str]
    tied: list[tuple[str, str]]
    marks: dict[str, str]


class Row(NamedTuple):
    """A row of the table, and the places where it repeats: its name so far."""

    places: list[str]
    name: str
    kind: str
    sizes: list[str]
    options: dict[str, str]


def expand(
    rows: str, prefix: str, fields: Fields, part: Part, root: str | None = None
) -> None:
    """Add to ``part`` what the rows stand for.

    Names get ``prefix`` in front, those of ties and those that start with ``~`` the
    ``root``, where the body is (``prefix`` unless given).

    Raises LlmcalcError for fields that are no sizes, for a layer without inputs or
    outputs, and for more layers than any model has.
    """
    root = prefix if root is None else root
    for row in _rows(rows, fields):
        if not row.places or not _is_wanted(row.options, fields):
            continue
        names = [f"{prefix}{place}{row.name}" for place in row.places]
        if row.name.startswith("~"):
            names = [root + row.name[1:]]
        if row.kind == "Family":
            inner = fields.inner(row.sizes[0])
            expand(inner.family.body, f"{names[0]}.", inner, part)
        elif row.kind == "Module":
            part.modules.extend(names)
        elif row.kind in _BARE:
            part.parameters.extend(_parameters(names, row, fields))
        else:
            part.layers.extend(_layers(names, row, fields))
        part.marks.update({m: names[0] for m in _MARKS if m in row.options})
        part.tied.extend(_ties(names[0], row.options, fields, root))


def _rows(rows: str, fields: Fields) -> Iterator[Row]:
    blocks: list[tuple[int, list[str]]] = [(-1, [""])]
    for line in rows.splitlines():
        words = line.split()
        if not words:
            continue
        indent = len(line) - len(line.lstrip())
        while blocks[-1][0] >= indent:
            blocks.pop()
        places = blocks[-1][1]
        if len(words) == 1:
            blocks.append((indent, _block(words[0], places, fields)))
            continue
        sizes = [word for word in words[2:] if not _is_option(word)]
        options = dict(_option(word) for word in words[2:] if _is_option(word))
        yield Row(places, words[0], words[1], sizes, options)


def _block(head: str, places: list[str], fields: Fields) -> list[str]:
    """Return the places of the rows under ``name[FIELD]``."""
    name, _, field = head.rstrip("]").partition("[")
    indices = fields[field]
    if not isinstance(indices, list):
        count = fields.size(field)
        if count * max(1, len(places)) > MAX_LAYERS:
            raise LlmcalcError(f"{fields.name}: {field}: {count} are too many")
        indices = range(count)
    return [f"{place}{name}.{i}." for place in places for i in indices]


def _parameters(names: list[str], row: Row, fields: Fields) -> Iterator[Parameter]:
    shape = tuple(fields.size(size) for size in row.sizes)
    endings = {"Tensor": [""], "Norm": [".weight"]}.get(row.kind, [".weight", ".bias"])
    transposed = "transposed" in row.options
    for name in names:
        for ending in endings:
            yield Parameter(name + ending, shape, transposed)


def _layers(names: list[str], row: Row, fields: Fields) -> Iterator[Layer]:
    d_in, d_out = (fields.size(size) for size in row.sizes)
    bias = "bias" in row.options and _is_set(row.options["bias"], fields)
    kernel = tuple(
        fields.size(k) for k in row.options.get("kernel", "").split(",") if k
    )
    groups = fields.size(row.options.get("groups", "1"))
    if not d_in or not d_out or not groups or d_in % groups or 0 in kernel:
        raise LlmcalcError(
            f"{fields.name}: {row.name} would be {d_in} x {d_out}"
            + (f", kernel {list(kernel)}, {groups} groups" if kernel else "")
        )
    for name in names:
        yield Layer(name, row.kind, d_in, d_out, bias, kernel, groups)


def _ties(
    name: str, options: dict[str, str], fields: Fields, root: str
) -> Iterator[tuple[str, str]]:
    if "ties" in options and fields.holds("tie_word_embeddings"):
        yield f"{name}.weight", f"{root}{options['ties']}.weight"
        if "biasties" in options:
            yield f"{name}.bias", options["biasties"]
    if "is" in options:
        yield f"{name}.weight", f"{root}{options['is']}.weight"


def _is_wanted(options: dict[str, str], fields: Fields) -> bool:
    if "if" in options and not fields.holds(options["if"]):
        return False
    return not ("unless" in options and fields.holds(options["unless"]))


def _is_option(word: str) -> bool:
    return "=" in word or word in _FLAGS


def _option(word: str) -> tuple[str, str]:
    key, _, value = word.partition("=")
    return key, value


def _is_set(field: str, fields: Fields) -> bool:
    return not field or fields.holds(field)
