"""What all archives have in common: names, and the places where they are unpacked. Nothing is unpacked here.

A wheel or a tar file is unpacked before it is imported; other zip files (eggs, zipapps) are imported directly.
"""

from __future__ import annotations

import struct
import threading
import zipfile
import zlib
from typing import IO, Any, Iterator, NamedTuple

from .lzma_reader import LZMAError
from .names import CACHE, is_compiled, is_python, misspelled, spelling
from .trees import DEFAULT_LIMITS, Limits, Problem, Tree, Unreadable, VerificationError

DAMAGED = (zipfile.BadZipFile, struct.error, zlib.error, LZMAError, EOFError, OSError, ValueError,
            NotImplementedError, RuntimeError, KeyError, IndexError, OverflowError, MemoryError)  # fmt: skip

LONGEST_NAME, _DEEPEST = 4096, 100
"""Linux's limit of a path, and a bound for the folders in it."""


def error_text(error: BaseException) -> str:
    """The message of the error, without the name of a file."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


class _Place(NamedTuple):
    """What an unpacker writes to one place: the name in the archive, and whether it is a folder, or a link."""

    name: str
    is_folder: bool
    is_link: bool


class Archive(Tree):
    """Sources and compiled files by name; ``others`` are the names of all other files.

    A name is unreadable if what lies there after unpacking depends on the unpacker or on the file system: it leads out
    of the archive, is there twice (spelled differently or not), is a link, or is below something that is no folder.
    """

    def __init__(self, path: str, file: IO[bytes], limits: Limits = DEFAULT_LIMITS) -> None:
        self.path, self.file, self.limits = path, file, limits
        self.members: dict[str, Any] = {}
        self.unreadable: list[Unreadable] = []
        self.others: list[str] = []
        self.total = self.count = self._python = 0
        self._places: dict[str, _Place] = {}
        self._links: list[str] = []
        self._lock = threading.Lock()

    def __del__(self) -> None:
        self.file.close()

    def add(self, name: str, size: int, member: Any, place: str | None = None) -> None:
        """Add a file; raises VerificationError if there are too many or too large ones.

        ``place`` is the name under which it is unpacked, if that is another one.
        """
        self.count_in(size)
        if self._is_too_long(name):
            return
        plain = _plain(name if place is None else place)
        if leads_out(plain):
            self.unreadable.append(Unreadable(name, "the name leads out of the archive"))
            return
        spelled = spelling(plain)
        if is_python(spelled) and size <= self.limits.file:
            self._python += size
            if self._python > self.limits.file:
                raise VerificationError(f"{self.path} has more than {self.limits.file} bytes of Python files")
        if spelled.rpartition("/")[2] == CACHE:
            self.unreadable.append(Unreadable(name, "is no folder: unpacked, it may be a link to compiled files"))
        if not self._is_alone(plain, spelled, _Place(plain, False, False)):
            return
        reason = misspelled(plain, spelled) if is_python(spelled) else ""
        if reason:
            self.unreadable.append(Unreadable(plain, reason))
            return
        if plain in self.members:
            plain = f"{plain} ({self.count})"
        self.members[plain] = member
        if not is_compiled(plain):
            self.others.append(plain)

    def add_folder(self, name: str) -> None:
        """Add a member that is a folder."""
        self.count_in(0)
        plain = _plain(name)
        if plain not in ("", ".") and not self._is_too_long(name):
            self._is_alone(plain, spelling(plain), _Place(plain, True, False))

    def add_link(self, name: str, target: str, is_hard: bool = False) -> None:
        """Add a member that is a link, or a device: what is read there is not in the archive under this name."""
        self.count_in(0)
        if self._is_too_long(name):
            return
        plain = _plain(name)
        spelled = spelling(plain)
        is_alone = self._is_alone(plain, spelled, _Place(plain, False, True))
        if is_python(spelled) or spelled.rpartition("/")[2] == CACHE:
            if is_alone:
                self.unreadable.append(Unreadable(plain, "is a link, or no regular file"))
        elif leads_out(plain) or _escapes(target, 0 if is_hard else plain.count("/")):
            self.unreadable.append(Unreadable(plain, "is a link that leads out of the archive"))
        else:
            self._links.append(plain)

    def reserve(self, place: str, name: str) -> None:
        """Note that some installer writes the Python file ``name`` to ``place``, too."""
        plain = _plain(place)
        if not leads_out(plain):
            self._is_alone(plain, spelling(plain), _Place(name, False, False))

    def count_in(self, size: int, count: int = 1) -> None:
        """Count members, and the bytes that they have. Raises VerificationError."""
        self.total += max(size, 0)
        self.count += count
        if self.count > self.limits.members:
            raise VerificationError(f"{self.path} has more than {self.limits.members} members")
        if self.total > self.limits.archive:
            raise VerificationError(f"{self.path} has more than {self.limits.archive} bytes when it is unpacked")

    def left(self) -> Limits:
        """The limits of an archive in this one."""
        return self.limits._replace(
            archive=self.limits.archive - self.total, members=max(self.limits.members - self.count, 1)
        )

    def _is_too_long(self, name: str) -> bool:
        """Whether no file system takes the name, which is noted."""
        is_long = len(name) > LONGEST_NAME
        if is_long:
            self.unreadable.append(Unreadable(f"{name[:100]}...", f"the name has {len(name)} letters"))
        return is_long

    def _is_alone(self, plain: str, spelled: str, place: _Place) -> bool:
        """Whether nothing else that matters lies at this place."""
        other = self._places.setdefault(spelled, place)
        if other is place or other.is_folder and place.is_folder:
            return True
        if other.is_folder:
            self._places[spelled] = place  # what is below it is unreadable
        if not (is_python(spelled) or other.is_link or place.is_link):
            return True
        twice = "the archive has this name twice" if other.name == plain else f"the archive has {other.name} too"
        self.unreadable.append(Unreadable(plain, f"{twice}: which one is meant depends on the unpacker"))
        return False

    def compiled(self) -> Iterator[str | Unreadable]:
        """In the order of their names."""
        known: dict[str, _Place | None] = {}
        for name in [*sorted(self.members), *self._links]:
            above = self._above(spelling(name).rpartition("/")[0], known)
            if above is not None:
                self.members.pop(name, None)
                self.unreadable.append(Unreadable(name, f"is below {above.name}, which is no folder"))
        self._links.clear()
        self.others = [name for name in self.others if name in self.members]
        yield from self.unreadable
        yield from (name for name in sorted(self.members) if is_compiled(name))

    def _above(self, folder: str, known: dict[str, _Place | None]) -> _Place | None:
        """What is no folder, and lies at this place or above it."""
        steps = []
        while folder and folder not in known:
            place = self._places.get(folder)
            if place is not None and not place.is_folder:
                known[folder] = place
                break
            steps.append(folder)
            folder = folder.rpartition("/")[0]
        found = known.get(folder)
        known.update(dict.fromkeys(steps, found))
        return found

    def read(self, name: str) -> bytes:
        """The content of one member, if it has the stated size and is not too large for a file."""
        size = self.size(name)
        if size > self.limits.file:
            raise Problem(f"has {size} bytes, more than {self.limits.file}")
        try:
            data = self.content(name)
        except DAMAGED as error:
            raise Problem(f"can't be read: {error_text(error)}") from error
        if len(data) != size:
            raise Problem(f"does not have the {size} bytes that the archive states")
        return data

    def size(self, name: str) -> int:
        """The size stated by the archive."""
        raise NotImplementedError

    def content(self, name: str) -> bytes:
        """The bytes of a member, at most one more than its size."""
        raise NotImplementedError

    def bytes_at(self, offset: int, size: int) -> bytes:
        """Bytes of the archive's file; threads may call it."""
        with self._lock:
            self.file.seek(offset)
            return self.file.read(size)


def _plain(name: str) -> str:
    return name[2:] if name.startswith("./") else name


def leads_out(name: str) -> bool:
    """Whether a member of this name would be written outside of the folder of its archive, or can't be written."""
    parts = name.replace("\\", "/").split("/")
    if len(parts) > _DEEPEST:
        return True
    return "" in parts or "." in parts or ".." in parts or "\0" in name or "\\" in name or parts[0][1:2] == ":"


def _escapes(target: str, depth: int) -> bool:
    """Whether a link in a folder of this depth leads out of the folder of its archive, or looks as if it might."""
    while target.startswith(("../", "./")) or target in ("..", "."):
        first, _, target = target.partition("/")
        depth -= first == ".."
    return depth < 0 or (bool(target) and leads_out(target.rstrip("/")))
