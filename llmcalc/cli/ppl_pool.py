"""Share the reading of log-probs among processes, by files and by ranges of bytes.

Whatever the number of processes, the sums are the same to the last digit, since they
are exact. Where a range cannot be read apart, its file is read as a whole, which also
finds the words for what is wrong in it.

Start-up is a feature: processes load only for inputs that are large.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from llmcalc.cli.ppl_gather import (
    WORTH,
    Input,
    Tally,
    Wants,
    followed,
    size_of,
    tally_input,
    tally_reading,
)
from llmcalc.errors import LlmcalcError
from llmcalc.inputs.logprobs.document import ReadOptions
from llmcalc.inputs.logprobs.reader import open_logprobs, open_stream
from llmcalc.inputs.source import Source
from llmcalc.output.progress import progress

# A range is not larger, so that progress shows and the work is shared evenly. Ranges
# do not depend on the number of processes, so nothing that is found does.
RANGE = 16 << 20


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


def gather(
    inputs: Sequence[Input],
    options: ReadOptions,
    wants: Wants,
    workers: int | None,
    quiet: bool,
) -> list[Tally]:
    """Return the tally of each input, in order, read by as many processes as pay.

    Raises LlmcalcError for the first input that cannot be read.
    """
    sizes = [size_of(one) for one in inputs]
    if workers is None:
        workers = max(1, min(_processors(), sum(sizes) // WORTH))
    if sum(sizes) > WORTH:
        _load_numpy()
    plans = [
        _tasks(Task(one, options, wants), -(-size // RANGE))
        for one, size in zip(inputs, sizes, strict=True)
    ]
    results = _results([task for tasks in plans for task in tasks], workers)
    with progress("reading", sum(sizes), quiet) as advance:
        return [
            _joined(Task(one, options, wants), tasks, results, size, advance)
            for one, tasks, size in zip(inputs, plans, sizes, strict=True)
        ]


def _load_numpy() -> None:
    """Load numpy, which sums many numbers faster, before the processes part.

    The products are short: threads for them would only be in the way of a fork, and
    the library starts them as it loads unless it is told not to.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import numpy  # noqa: F401


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _tasks(whole: Task, pieces: int) -> list[Task]:
    """Return the tasks of an input: lines of it where they can be read apart."""
    from llmcalc.inputs.byte_ranges import line_ranges
    from llmcalc.inputs.content import encoding_of, kind_of

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
    if not reading.splits or encoding_of(head) == "utf-16":
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


def _results(tasks: Sequence[Task], workers: int) -> Iterator[Tally | None]:
    """Yield the result of each task, in order."""
    workers = min(workers, len(tasks))
    if workers < 2:
        yield from map(_run, tasks)
        return
    import multiprocessing
    import signal

    # A fork has the modules loaded; elsewhere it is not safe or not there.
    method = "fork" if sys.platform == "linux" else None
    context = multiprocessing.get_context(method)
    ignore = (signal.SIGINT, signal.SIG_IGN)
    with context.Pool(workers, signal.signal, ignore) as pool:
        yield from pool.imap(_run, tasks)


def _run(task: Task) -> Tally | None:
    """Read what a task says; None where its lines cannot be read apart."""
    if task.lines is None:
        return tally_input(task.one, task.options, task.wants)
    try:
        tally = _lines_tally(task, task.lines, 1)
        if task.lines.where[0] and (tally.worst or tally.notes.lines()):
            # Places are to be named: only now the lines before are counted.
            from llmcalc.inputs.byte_ranges import lines_before

            before = lines_before(_path(task), task.lines.where[0])
            tally = _lines_tally(task, task.lines, before + 1)
    except LlmcalcError:
        return None
    kind = (tally.format, tally.part, tally.base, tally.unit)
    return tally if kind == task.lines.kind else None


def _lines_tally(task: Task, lines: Lines, first_line: int) -> Tally:
    from llmcalc.inputs.byte_ranges import open_range

    path = _path(task)
    with open_range(path, lines.where) as stream:
        reading = open_stream(stream, path, task.options, first_line)
        return tally_reading(reading, path, task.wants)


def _path(task: Task) -> str:
    return str(task.one.path) if isinstance(task.one, Source) else ""


def _joined(
    whole: Task,
    tasks: Sequence[Task],
    results: Iterator[Tally | None],
    size: int,
    advance: Callable[[float], None],
) -> Tally:
    """Return the tally of an input from those of its tasks, which come in order."""
    joined: Tally | None = None
    apart = True
    for task in tasks:
        tally = next(results)
        if tally is None:
            apart = False
        elif joined is None:
            joined = tally
        else:
            goes_on = task.lines is not None and task.lines.continues
            joined = followed(joined, tally, whole.wants, goes_on)
        advance(size / len(tasks))
    if apart and joined is not None:
        return joined
    return tally_input(whole.one, whole.options, whole.wants)
