"""Progress of long work: on standard error, on a terminal only, not at once.

Start-up is a feature: rich loads only when a bar is drawn.
"""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

# Work that ends sooner needs no bar.
_PATIENCE_S = 0.5


@contextlib.contextmanager
def progress(
    label: str, total: float | None, quiet: bool = False
) -> Iterator[Callable[[float], None]]:
    """Yield a function that counts work as done; a bar follows it where one helps."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield lambda _: None
        return
    meter = _Meter(label, total)
    try:
        yield meter.advance
    finally:
        meter.stop()


class _Meter:
    """The bar's state: what is done, since when, and the bar once it is drawn."""

    def __init__(self, label: str, total: float | None) -> None:
        self._label = label
        self._total = total
        self._done = 0.0
        self._start = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def advance(self, amount: float) -> None:
        """Count ``amount`` more of the total as done."""
        self._done += amount
        if self._bar is None:
            if time.monotonic() - self._start < _PATIENCE_S:
                return
            self._draw()
        rate = self._done / (time.monotonic() - self._start)
        self._bar.update(self._task, completed=self._done, rate=f"{rate:,.0f}/s")

    def stop(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()

    def _draw(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            TaskProgressColumn,
            TextColumn,
            TimeRemainingColumn,
        )

        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[rate]}", markup=False),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._bar.start()
        self._task = self._bar.add_task(self._label, total=self._total, rate="")
