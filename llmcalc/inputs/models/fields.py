"""A family of models, and the fields of one config as the family reads them."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from llmcalc.errors import LlmcalcError

_FLAT = "hidden_size"


class Formula(NamedTuple):
    """A default that is a formula of other fields."""

    text: str


class Family(NamedTuple):
    """A model type: rows of its body and of its heads, and its class's defaults.

    ``prefix`` is where the body sits under a head. ``heads`` maps the ending of a
    class name to the rows beside the body; the first is taken where a config names
    none. ``defaults`` are what the class takes for a missing field, as ``field=value``
    words: a number, true, false, null, [], a 'text', or a formula of other fields;
    ``nulls`` what it takes for null, where that differs. null is a value of the
    ``optional`` ones. ``computed`` fields need more than a formula. ``aliases`` map
    other spellings of fields to the one used here.
    ``prefixes`` and ``bodies`` hold for the heads where those differ, ``inner`` are
    the families of the configs inside the config, by their field.
    """

    prefix: str
    body: str
    heads: Mapping[str, str]
    defaults: str
    nulls: str = ""
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
        self._defaults = _parsed(family.defaults)
        self._known: dict[str, Any] = {}
        self._inner: dict[str, Fields] = {}

    def inner(self, section: str) -> "Fields":
        """Return the fields of the config inside this one; {} where it is missing."""
        if section not in self._inner:
            config = self.config.get(section)
            if config is None and section == "text_config" and _FLAT in self.config:
                # Files from before the text had a config of its own.
                config = self.config
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
        """Return whether a field is set: true, not 0, not empty.

        Raises LlmcalcError for a text, which would hold whatever it says.
        """
        value = self[condition]
        if isinstance(value, str):
            raise LlmcalcError(
                f"{self.name}: {condition}: {value!r:.60} is not true or false"
            )
        return bool(value)

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
        defaults = self._defaults
        if field in self.config:
            defaults = defaults | _parsed(self.family.nulls)
        if field not in defaults:
            raise LlmcalcError(f"{self.name}: {field} is missing")
        return self.default(field, defaults[field])

    def default(self, field: str, value: Any) -> Any:
        """Return a field, or ``value`` (a formula's result), noted as assumed."""
        if self.config.get(field) is not None:
            return self.config[field]
        if isinstance(value, Formula):
            value, formula = self.size(value.text), value.text
            self.assumed[field] = f"{value} ({formula})"
        else:
            self.assumed[field] = _shown(value)
        return value


_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None, "[]": []}


def _parsed(defaults: str) -> dict[str, Any]:
    """Return the values of a family's defaults.

    >>> _parsed("layers=32 tie=false act='relu' inner=4*width")
    {'layers': 32, 'tie': False, 'act': 'relu', 'inner': Formula(text='4*width')}
    """
    found: dict[str, Any] = {}
    for word in defaults.split():
        field, _, text = word.partition("=")
        if text.lstrip("-").isdigit():
            found[field] = int(text)
        elif text.startswith("'"):
            found[field] = text.strip("'")
        else:
            found[field] = _WORDS[text] if text in _WORDS else Formula(text)
    return found


def _spellings(field: str, aliases: Mapping[str, str]) -> list[str]:
    return [old for old, new in aliases.items() if new == field]


def _shown(value: Any) -> str:
    return (
        str(value).lower() if isinstance(value, bool) or value is None else str(value)
    )
