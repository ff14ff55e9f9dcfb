"""What one process reads at a time: a whole input, or some lines of a file.

Where lines cannot be read apart, there is no result: the file is then read as a whole,
which also finds the words for what is wrong in it.
"""

from pathlib import Path
from typing import NamedTuple

from llmcalc.cli.ppl_gather import Input, Tally, Wants, tally_input, tally_reading
from llmcalc.errors import LlmcalcError
from llmcalc.inputs.byte_ranges import line_ranges, lines_before, open_range
from llmcalc.inputs.content import encoding_of, kind_of
from llmcalc.inputs.logprobs.document import ReadOptions
from llmcalc.inputs.logprobs.reader import open_logprobs, open_stream
from llmcalc.inputs.source import Source


class Lines(NamedTuple):
    """Lines of a file between two bytes, and what the file as a whole was taken for."""

    where: tuple[int, int]
    kind: tuple[str, str, str, str]  # format, part, base, unit
    continues: bool  # they go on with the sequence of the lines before


class Task(NamedTuple):
    """What one process reads at a time: a whole input, or lines of one."""

    one: Input
    options: ReadOptions
    wants: Wants
    lines: Lines | None = None


def tasks_of(whole: Task, pieces: int) -> list[Task]:
    """Return the tasks of an input: lines of it where they can be read apart."""
    one = whole.one
    path = one.plain_path() if isinstance(one, Source) else None
    if path is None or pieces < 2 or whole.wants.texts:
        return [whole]
    try:
        reading = open_logprobs(one, whole.options)
    except LlmcalcError:
        return [whole]  # it is raised when its turn comes
    reading.close()
    with Path(path).open("rb") as stream:
        head = stream.read(4096)
    if not reading.splits or not encoding_of(head).startswith("utf-8"):
        return [whole]
    kind = (reading.format, reading.part, reading.base, reading.unit)
    options = whole.options._replace(input_format=reading.format)
    if reading.part == "prompt":
        options = options._replace(part="prompt")
    sequence = kind_of(head) == "text"
    return [
        Task(one, options, whole.wants, Lines(where, kind, sequence and where[0] > 0))
        for where in line_ranges(path, pieces)
    ]


def run_task(task: Task, quiet: bool = True) -> Tally | None:
    """Read what a task says; None where its lines cannot be read apart."""
    if task.lines is None:
        return tally_input(task.one, task.options, task.wants, quiet)
    try:
        tally = _lines_tally(task, task.lines, 1)
        if task.lines.where[0] and (tally.worst or tally.notes.lines()):
            # Places are to be named: only now the lines before are counted.
            before = lines_before(_path(task), task.lines.where[0])
            tally = _lines_tally(task, task.lines, before + 1)
    except LlmcalcError:
        return None
    kind = (tally.format, tally.part, tally.base, tally.unit)
    return tally if kind == task.lines.kind else None


def _lines_tally(task: Task, lines: Lines, first_line: int) -> Tally:
    path = _path(task)
    with open_range(path, lines.where) as stream:
        reading = open_stream(stream, path, task.options, first_line)
        return tally_reading(reading, path, task.wants)


def _path(task: Task) -> str:
    return str(task.one.path) if isinstance(task.one, Source) else ""
