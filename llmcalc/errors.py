"""The one exception of llmcalc: something that the user can mend."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

# What messages call it where no file has a name.
STDOUT = "standard output"


class LlmcalcError(ValueError):
    """What was asked or given is wrong; the message is one line for the user.

    It names the file (or ``<stdin>``), the place, the value and, where that is
    short, the remedy. The command line prints it and exits with status 2.
    """


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Say which file the machine failed on, where its own message does not.

    Opening a file names it; reading and writing an open one do not.

    >>> with naming("scores.txt"):
    ...     raise OSError(5, "Input/output error")
    Traceback (most recent call last):
    OSError: [Errno 5] Input/output error: 'scores.txt'
    """
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = name
        raise


def missing_extra(name: str, extra: str, package: str) -> LlmcalcError:
    """Return the error for a file or option that needs an extra that is not there.

    >>> str(missing_extra("a.zst", "zstd", "zstandard")).partition(";")[0]
    "a.zst: needs the extra 'zstd'"
    """
    return LlmcalcError(
        f"{name}: needs the extra '{extra}'; "
        f"add it with: {sys.executable} -m pip install {package}"
    )
