"""NumPy's .npz: the one array of numbers, or the one asked for, and its labels.

A stored (not deflated) member is memory-mapped. Start-up is a feature: zipfile and
numpy load only for such a file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.vectors.byte_input import ByteInput, array_set
from llmcalc.inputs.vectors.vector_set import VectorSet

if TYPE_CHECKING:
    import zipfile

    from numpy import dtype

_LABELS = (
    "labels", "ids", "id", "names", "words", "texts", "keys", "sentences", "index",
    "label", "name", "word", "text", "key",
)  # fmt: skip
# Bytes before a member's name in its own header, and where the lengths of the name
# and of the extra field stand (APPNOTE 4.3.7).
_LOCAL_HEADER = 30
# zipfile.ZIP_STORED
_STORED = 0


class Member(NamedTuple):
    """An array of the archive: its header alone."""

    name: str
    info: zipfile.ZipInfo
    shape: tuple[int, ...]
    element: dtype[Any]
    header_bytes: int


def recognise(file: ByteInput) -> bool:
    """Return whether the file is a zip archive."""
    return file.head.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def read(file: ByteInput) -> VectorSet:
    """Read the array asked for, else the only matrix, with labels of its length.

    Raises LlmcalcError that names the arrays where several could be meant.
    """
    import zipfile

    from llmcalc.inputs.arrays import npz_names, pick_array, read_npz

    npz_names(file.source)  # what is damaged or a pickle is refused there
    with zipfile.ZipFile(file.path) as archive:
        members = [_member(archive, info, file.name) for info in _arrays(archive)]
        names = [member.name for member in members if _may_be_vectors(member)]
        if file.source.part is not None or len(names) != 1:
            names = names or [member.name for member in members]
            names = [pick_array(names, file.source.part, (), file.name)]
        chosen = next(member for member in members if member.name == names[0])
        labels = _labels(archive, _label_member(members, chosen), file.name)
        offset = _stored_at(file, chosen)
    if offset is None:
        array = read_npz(file.source._replace(part=chosen.name))
    else:
        array = file.mapped(chosen.element.str, offset, chosen.shape)
    return array_set(array, f"{file.name}:{chosen.name}", "npz", labels)


def _arrays(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    return [info for info in archive.infolist() if info.filename.endswith(".npy")]


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> Member:
    from numpy.lib import format as npy

    from llmcalc.inputs.arrays import damage_named

    title = info.filename.removesuffix(".npy")
    with damage_named(f"{name}:{title}"), archive.open(info) as opened:
        stream = cast(BinaryIO, opened)
        version = npy.read_magic(stream)
        header = (
            npy.read_array_header_1_0
            if version == (1, 0)
            else npy.read_array_header_2_0
        )
        shape, fortran, element = header(stream)
        used = stream.tell()
    if element.kind != "O" and used + _bytes(shape, element) != info.file_size:
        raise LlmcalcError(f"{name}:{title}: is cut off, or its header is damaged")
    # A matrix that is stored by columns is not mapped: negative says so.
    return Member(title, info, shape, element, -1 if fortran else used)


def _bytes(shape: tuple[int, ...], element: dtype[Any]) -> int:
    count = element.itemsize
    for extent in shape:
        count *= extent
    return count


def _may_be_vectors(member: Member) -> bool:
    if member.element.kind not in "fiub" or len(member.shape) == 0:
        return False
    return not (len(member.shape) == 1 and member.name.lower() in _LABELS)


def _label_member(members: list[Member], chosen: Member) -> Member | None:
    """Return the strings (or numbers under a label's name) of the right length."""
    rows = chosen.shape[0] if len(chosen.shape) == 2 else 1
    fitting = [
        member
        for member in members
        if member is not chosen
        and member.shape == (rows,)
        and (
            member.element.kind in "US"
            or (member.element.kind in "iu" and member.name.lower() in _LABELS)
        )
    ]
    fitting.sort(key=lambda m: (m.element.kind not in "US", _rank(m.name)))
    return fitting[0] if fitting else None


def _labels(
    archive: zipfile.ZipFile, member: Member | None, name: str
) -> list[str | int] | None:
    import numpy as np

    from llmcalc.inputs.arrays import damage_named

    if member is None:
        return None
    with damage_named(f"{name}:{member.name}"), archive.open(member.info) as stream:
        labels = np.lib.format.read_array(cast(BinaryIO, stream), allow_pickle=False)
    if labels.dtype.kind == "S":
        labels = np.char.decode(labels, "utf-8", "replace")
    found: list[str | int] = labels.tolist()
    return found


def _rank(name: str) -> int:
    return _LABELS.index(name.lower()) if name.lower() in _LABELS else len(_LABELS)


def _stored_at(file: ByteInput, member: Member) -> int | None:
    """Return where a member's numbers begin in the file, or None where they don't."""
    plain = member.info.compress_type == _STORED and member.header_bytes > 0
    count = _bytes(member.shape, member.element)
    if not plain or count == 0:
        return None
    with open(file.path, "rb") as stream:  # noqa: PTH123 - the same either way
        stream.seek(member.info.header_offset)
        local = stream.read(_LOCAL_HEADER)
    extra = int.from_bytes(local[26:28], "little") + int.from_bytes(
        local[28:30], "little"
    )
    offset = member.info.header_offset + _LOCAL_HEADER + extra + member.header_bytes
    return offset if offset + count <= file.size else None
