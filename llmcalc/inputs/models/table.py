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
         always one; output, embedding: the output layer, the input embedding
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from llmcalc.core.lora.layers import Layer, Parameter
from llmcalc.errors import LlmcalcError

# More layers than any model has: a file that asks for them is broken.
MAX_LAYERS = 100_000


class Family(NamedTuple):
    """A model type: rows of its body and of its heads, and its class's defaults.

    ``prefix`` is where the body sits under a head. ``heads`` maps the ending of a
    class name to the rows beside the body; the first is taken where a config names
    none. ``defaults`` are what the class takes for a missing field, a text that
    starts with ``=`` is a formula; ``nulls`` what it takes for null, where that differs.
    null is a value of the ``optional`` ones. ``computed`` fields need more than a
    formula. ``aliases`` map other spellings of fields to the one used here.
    ``prefixes`` and ``bodies`` hold for the heads where those differ, ``inner`` are
    the families of the configs inside the config, by their field.
    """

    prefix: str
    body: str
    heads: Mapping[str, str]
    defaults: Mapping[str, Any]
    nulls: Mapping[str, Any] = {}
    computed: Mapping[str, Callable[["Fields"], Any]] = {}
    aliases: Mapping[str, str] = {}
    optional: tuple[str, ...] = ()
    prefixes: Mapping[str, str] = {}
    bodies: Mapping[str, str] = {}
    inner: Mapping[str, "Family"] = {}


class Fields:
    """The fields of one config as a family reads them, with what it assumed."""

    def __init__(self, config: Mapping[str, Any], family: Family, name: str) -> None:
        self.config = config
        self.family = family
        self.name = name
        self.assumed: dict[str, str] = {}
        self._known: dict[str, Any] = {}
        self._inner: dict[str, Fields] = {}

    def inner(self, section: str) -> "Fields":
        """Return the fields of the config inside this one; {} where it is missing."""
        if section not in self._inner:
            config = self.config.get(section)
            if config is None:
                config = {}
                self.assumed[section] = "all defaults"
            name = f"{self.name}: {section}"
            if not isinstance(config, dict):
                raise LlmcalcError(f"{name}: {config!r:.60} is not an object")
            self._inner[section] = Fields(config, self.family.inner[section], name)
        return self._inner[section]

    def all_assumed(self) -> list[str]:
        """Return what was taken for missing fields, as ``field = value``."""
        own = [f"{field} = {value}" for field, value in self.assumed.items()]
        return own + [
            f"{section}.{text}"
            for section, fields in self._inner.items()
            for text in fields.all_assumed()
        ]

    def __getitem__(self, field: str) -> Any:
        """Return a field's value: the config's, its class's default, or computed."""
        if field not in self._known:
            self._known[field] = self._look_up(field)
        return self._known[field]

    def size(self, formula: str) -> int:
        """Return the whole number that a formula of fields gives."""
        total = 0
        for term in formula.split("+"):
            product = 1
            for factor in term.split("*"):
                product *= self._factor(factor)
            total += product
        return total

    @property
    def architecture(self) -> str:
        """Return the class that the config names first, "" where it names none."""
        named = self.config.get("architectures")
        return str(named[0]) if isinstance(named, list) and named else ""

    def holds(self, condition: str) -> bool:
        """Return whether a field is set: true, not 0, not empty."""
        return bool(self[condition])

    def _factor(self, text: str) -> int:
        if text.isdigit():
            return int(text)
        if "//" in text:
            above, below = text.split("//")
            numerator, denominator = self.size(above), self.size(below)
            if denominator == 0 or numerator % denominator:
                raise LlmcalcError(
                    f"{self.name}: {above} {numerator} is not a multiple of "
                    f"{below} {denominator}"
                )
            return numerator // denominator
        value = self[text]
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise LlmcalcError(f"{self.name}: {text}: {value!r:.60} is not a size")
        return value

    def _look_up(self, field: str) -> Any:
        section, dot, rest = field.partition(".")
        if dot:
            return self.inner(section)[rest]
        if field in self.family.optional and field in self.config:
            return self.config[field]
        compute = self.family.computed.get(field)
        if compute is not None:
            return compute(self)
        for spelling in (field, *_spellings(field, self.family.aliases)):
            if self.config.get(spelling) is not None:
                return self.config[spelling]
        defaults = self.family.defaults
        if field in self.config and field in self.family.nulls:
            defaults = self.family.nulls
        if field not in defaults:
            raise LlmcalcError(f"{self.name}: {field} is missing")
        return self.default(field, defaults[field])

    def default(self, field: str, value: Any) -> Any:
        """Return a field, or ``value`` (a formula after ``=``), noted as assumed."""
        if self.config.get(field) is not None:
            return self.config[field]
        if isinstance(value, str) and value.startswith("="):
            formula, value = value[1:], self.size(value[1:])
            self.assumed[field] = f"{value} ({formula})"
        else:
            self.assumed[field] = _shown(value)
        return value


class Part(NamedTuple):
    """What rows came to: layers, bare tensors, modules without any, ties."""

    layers: list[Layer]
    parameters: list[Parameter]
    modules: list[str]
    tied: list[tuple[str, str]]
    marks: dict[str, str]


def expand(
    rows: str, prefix: str, fields: Fields, part: Part, root: str | None = None
) -> None:
    """Add to ``part`` what the rows stand for.

    Names get ``prefix`` in front, those of ties and those that start with ``~`` the
    ``root``, where the body is (``prefix`` unless given).
    """
    root = prefix if root is None else root
    for places, (name, kind, *rest) in _rows(rows, fields):
        options = dict(_option(word) for word in rest if _is_option(word))
        sizes = [word for word in rest if not _is_option(word)]
        if not _wanted(options, fields):
            continue
        if name.startswith("~"):
            names = [root + name[1:]]
        else:
            names = [f"{prefix}{place}{name}" for place in places]
        if kind == "Family":
            inner = fields.inner(sizes[0])
            expand(inner.family.body, f"{names[0]}.", inner, part)
            continue
        _add(names, kind, [fields.size(size) for size in sizes], options, fields, part)
        _tie(names, options, fields, part, root)


def _rows(rows: str, fields: Fields) -> Iterator[tuple[list[str], list[str]]]:
    """Yield each row's words with the places (name so far) where it repeats."""
    blocks: list[tuple[int, list[str]]] = [(-1, [""])]
    for line in rows.splitlines():
        words = line.split()
        if not words:
            continue
        indent = len(line) - len(line.lstrip())
        while blocks[-1][0] >= indent:
            blocks.pop()
        places = blocks[-1][1]
        if len(words) > 1:
            yield places, words
            continue
        name, _, field = words[0].rstrip("]").partition("[")
        indices = fields[field]
        if isinstance(indices, int):
            if indices > MAX_LAYERS:
                raise LlmcalcError(f"{fields.name}: {field}: {indices} are too many")
            indices = range(fields.size(field))
        blocks.append(
            (indent, [f"{place}{name}.{i}." for place in places for i in indices])
        )


def _add(
    names: list[str],
    kind: str,
    sizes: list[int],
    options: dict[str, str],
    fields: Fields,
    part: Part,
) -> None:
    if kind == "Module":
        part.modules.extend(names)
    elif kind in ("Tensor", "Norm", "LayerNorm"):
        ending = "" if kind == "Tensor" else ".weight"
        bias = kind == "LayerNorm" and _flag(options.get("bias", ""), fields)
        for name in names:
            part.parameters.append(Parameter(name + ending, tuple(sizes)))
            if bias:
                part.parameters.append(Parameter(name + ".bias", tuple(sizes)))
    else:
        d_in, d_out = sizes
        if not d_in or not d_out:
            raise LlmcalcError(f"{fields.name}: {names[:1]} is {d_in} x {d_out}")
        bias = "bias" in options and _flag(options["bias"], fields)
        kernel = tuple(
            fields.size(k) for k in options.get("kernel", "").split(",") if k
        )
        groups = fields.size(options.get("groups", "1"))
        part.layers.extend(
            Layer(name, kind, d_in, d_out, bias, kernel, groups) for name in names
        )
    for mark in ("output", "embedding"):
        if mark in options:
            part.marks[mark] = names[0]


def _tie(
    names: list[str], options: dict[str, str], fields: Fields, part: Part, root: str
) -> None:
    if "ties" in options and fields.holds("tie_word_embeddings"):
        part.tied.append((f"{names[0]}.weight", f"{root}{options['ties']}.weight"))
        if "biasties" in options:
            part.tied.append((f"{names[0]}.bias", options["biasties"]))
    if "is" in options:
        part.tied.append((f"{names[0]}.weight", f"{root}{options['is']}.weight"))


def _wanted(options: dict[str, str], fields: Fields) -> bool:
    if "if" in options and not fields.holds(options["if"]):
        return False
    return not ("unless" in options and fields.holds(options["unless"]))


_FLAGS = ("bias", "output", "embedding")


def _is_option(word: str) -> bool:
    return "=" in word or word in _FLAGS


def _option(word: str) -> tuple[str, str]:
    key, _, value = word.partition("=")
    return key, value


def _flag(field: str, fields: Fields) -> bool:
    return not field or fields.holds(field)


def _spellings(field: str, aliases: Mapping[str, str]) -> list[str]:
    return [old for old, new in aliases.items() if new == field]


def _shown(value: Any) -> str:
    return (
        str(value).lower() if isinstance(value, bool) or value is None else str(value)
    )
