"""The one exception of llmcalc: something that the user can mend."""

import sys


class LlmcalcError(ValueError):
    """What was asked or given is wrong; the message is one line for the user.

    It names the file (or ``<stdin>``), the place, the value and, where that is
    short, the remedy. The command line prints it and exits with status 2.
    """


def missing_extra(name: str, extra: str, package: str) -> LlmcalcError:
    """Return the error for a file or option that needs an extra that is not there.

    >>> str(missing_extra("a.zst", "zstd", "zstandard")).partition(";")[0]
    "a.zst: needs the extra 'zstd'"
    """
    return LlmcalcError(
        f"{name}: needs the extra '{extra}'; "
        f"add it with: {sys.executable} -m pip install {package}"
    )
