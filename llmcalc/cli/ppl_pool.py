"""Share the reading of log-probs among processes, by files and by ranges of bytes.

Whatever the number of processes, the sums are the same to the last digit, since they
are exact.

Start-up is a feature: processes load only for inputs that are large.
"""

import errno
import os
import sys
from collections.abc import Callable, Iterator, Sequence

from llmcalc.cli.ppl_gather import (
    WORTH,
    Input,
    Tally,
    Wants,
    followed,
    size_of,
    tally_input,
)
from llmcalc.cli.ppl_tasks import Task, run_task, tasks_of
from llmcalc.inputs.logprobs.document import ReadOptions
from llmcalc.output.progress import progress

# A range is not larger, so that progress shows and the work is shared evenly. Ranges
# do not depend on the number of processes, so nothing that is found does.
RANGE = 16 << 20


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
        tasks_of(Task(one, options, wants), -(-size // RANGE))
        for one, size in zip(inputs, sizes, strict=True)
    ]
    tasks = [task for planned in plans for task in planned]
    shared = workers > 1 or len(tasks) > len(inputs)
    results = _results(tasks, workers, quiet or shared)
    # Nothing to share: the one process shows what it does itself.
    with progress("reading", sum(sizes), quiet or not shared) as advance:
        return [
            _joined(Task(one, options, wants), planned, results, size, advance)
            for one, planned, size in zip(inputs, plans, sizes, strict=True)
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


def _results(
    tasks: Sequence[Task], workers: int, quiet: bool
) -> Iterator[Tally | None]:
    """Yield the result of each task, in order."""
    workers = min(workers, len(tasks))
    if workers < 2:
        yield from (run_task(task, quiet) for task in tasks)
        return
    import multiprocessing
    import signal
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    # A fork has the modules loaded; elsewhere it is not safe or not there.
    method = "fork" if sys.platform == "linux" else None
    context = multiprocessing.get_context(method)
    # Ctrl-C ends a process without a word; the one that the user sees has words.
    silently = (signal.SIGINT, signal.SIG_DFL)
    pool = ProcessPoolExecutor(workers, context, signal.signal, silently)
    try:
        yield from pool.map(run_task, tasks)
    except BrokenProcessPool:
        problem = "was killed, perhaps for want of memory; try --workers 1"
        raise OSError(errno.ECHILD, problem, "a process") from None
    finally:
        pool.shutdown(cancel_futures=True)


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
