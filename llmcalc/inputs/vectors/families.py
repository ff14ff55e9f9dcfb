"""The table of vector formats, for the README's list and the tests.

Every family is a file of its own, and a row in the table of its kind: JSON, text or
bytes. A file is read with the table of its kind alone.
"""

from llmcalc.inputs.vectors.byte_families import BYTES
from llmcalc.inputs.vectors.family import Family
from llmcalc.inputs.vectors.json_families import JSON
from llmcalc.inputs.vectors.text_families import TEXT

FAMILIES: tuple[Family, ...] = (*JSON, *TEXT, *BYTES)
