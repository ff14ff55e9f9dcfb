"""Array files: npy, npz and safetensors, memory-mapped where they lie plain.

Nothing here unpickles.
"""

import errno
import io
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.safetensors import read_safetensors
from llmcalc.inputs.source import Source

# What numpy and zipfile raise over bytes that are none of theirs.
DAMAGE = (
    ValueError, EOFError, SyntaxError, TypeError, OverflowError, tokenize.TokenError,
    zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError,
)  # fmt: skip
_KINDS = {
    "sqlite": "a SQLite database",
    "pickle": "a pickle, which can run code: not opened; save it as npy",
    "binary": "no text and no array file that is known",
}


def read_one_array(
    source: Source, kind: str, wanted: Sequence[str] = ()
) -> NDArray[Any]:
    """Return the array of an array file of the given kind, in its own element type.

    Raises LlmcalcError where an archive holds several and none is asked for.
    """
    if kind == "npy":
        if source.part is not None:
            raise LlmcalcError(f"{source.name}: one array, it has no {source.part!r}")
        return read_npy(source)
    if kind == "npz":
        return read_npz(source, wanted)
    if kind == "safetensors":
        return read_safetensors(source, wanted)
    if kind in ("parquet", "arrow"):
        raise LlmcalcError(f"{source.name}: is a {kind} table, not an array")
    raise LlmcalcError(f"{source.name}: is {_KINDS[kind]}")


def read_npy(source: Source) -> NDArray[Any]:
    """Return the array of a .npy file, memory-mapped where it is a plain file.

    Raises LlmcalcError for object arrays, structured types and truncated files.
    """
    path = source.plain_path()
    if path is None:
        with source.open() as stream:
            return _parse_npy(stream, source.name)
    with damage_named(source.name):
        loaded = np.load(path, mmap_mode="r", allow_pickle=False)
    return _numbers(loaded, source.name)


def npz_names(source: Source) -> list[str]:
    """Return the names of the arrays in a .npz file, in order."""
    with _archive(source) as archive:
        return [name.removesuffix(".npy") for name in _members(archive, source.name)]


def read_npz(source: Source, wanted: Sequence[str] = ()) -> NDArray[Any]:
    """Return the array of a .npz file that is asked for, known, or the only one."""
    return read_npz_with(source, wanted, None)[0]


def read_npz_with(
    source: Source, wanted: Sequence[str], other: str | None
) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """Return the array as `read_npz`, and another of the archive; None if it has none.

    The archive is read once, so it may come through a pipe.
    """
    with _archive(source) as archive:
        members = _members(archive, source.name)
        names = [name.removesuffix(".npy") for name in members]
        chosen = pick_array(names, source.part, wanted, source.name)
        values = _member(archive, chosen, source.name)
        if other not in names:
            return values, None
        return values, _member(archive, str(other), source.name)


def _member(archive: zipfile.ZipFile, array: str, name: str) -> NDArray[Any]:
    name = f"{name}:{array}"
    with damage_named(name), archive.open(f"{array}.npy") as member:
        return _parse_npy(cast(BinaryIO, member), name)


def pick_array(
    names: Sequence[str], part: str | None, wanted: Sequence[str], name: str
) -> str:
    """Return the name asked for, else the first wanted one, else the only one.

    >>> pick_array(["token_ids", "logprobs"], None, ["logprobs"], "a.npz")
    'logprobs'
    """
    choices = ", ".join(names)
    if part is not None:
        if part in names:
            return part
        raise LlmcalcError(f"{name}: no array {part!r}; it holds {choices}")
    for candidate in wanted:
        if candidate in names:
            return candidate
    if len(names) == 1:
        return names[0]
    if not names:
        raise LlmcalcError(f"{name}: holds no array")
    raise LlmcalcError(
        f"{name}: holds several arrays; choose with {name}:KEY or --key: {choices}"
    )


def _archive(source: Source) -> zipfile.ZipFile:
    path = source.plain_path()
    if path is None:
        with source.open() as stream:
            file: Any = io.BytesIO(stream.read())
    else:
        file = path
    with damage_named(source.name):
        return zipfile.ZipFile(file)


def _members(archive: zipfile.ZipFile, name: str) -> list[str]:
    found = archive.namelist()
    if any(member.endswith((".pkl", ".pickle")) for member in found):
        raise LlmcalcError(
            f"{name}: is a pickle (a torch file), which can run code: not opened; "
            "save it as npy or safetensors"
        )
    arrays = [member for member in found if member.endswith(".npy")]
    twice = next((member for member in arrays if arrays.count(member) > 1), None)
    if twice is not None:
        raise LlmcalcError(f"{name}: names {twice.removesuffix('.npy')!r} twice")
    return arrays


def _parse_npy(stream: BinaryIO, name: str) -> NDArray[Any]:
    with damage_named(name):
        loaded = np.lib.format.read_array(stream, allow_pickle=False)
    return _numbers(loaded, name)


@contextmanager
def damage_named(name: str) -> Iterator[None]:
    """Turn what numpy and zipfile raise over damaged bytes into one LlmcalcError.

    What they only warn of, a header of Python 2, is no matter.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            yield
    except LlmcalcError:
        raise
    except DAMAGE as error:
        raise _damaged(name, error) from None
    except OSError as error:
        # An offset or a shape that no file can have; other ones are the machine's.
        if error.errno != errno.EINVAL:
            raise
        raise _damaged(name, error) from None


def _damaged(name: str, error: Exception) -> LlmcalcError:
    if "bject" in str(error):
        return LlmcalcError(
            f"{name}: holds Python objects (a pickle), which are not opened; "
            "save numbers: numpy.save(file, numpy.asarray(x, dtype=float))"
        )
    return LlmcalcError(f"{name}: the file is damaged or cut off")


def _numbers(array: NDArray[Any], name: str) -> NDArray[Any]:
    if array.dtype.kind not in "fiub":
        raise LlmcalcError(f"{name}: holds {array.dtype}, not real numbers")
    if array.dtype.itemsize > np.dtype(np.float64).itemsize:
        # Wider than any figure of ours; beyond a double is infinite.
        with np.errstate(all="ignore"):
            return array.astype(np.float64)
    return array
