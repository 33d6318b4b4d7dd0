"""Folders and single files as trees of named files; archives are in archives.py.

Names have ``/`` between folders and are relative to the tree. What can't be read is a `Problem`, never an exception
of the operating system, and every read has a bound.
"""

from __future__ import annotations

import io
import os
import stat
from fnmatch import fnmatchcase
from typing import IO, Iterator, NamedTuple, Sequence

from ..errors import DepyfError
from ..reading import open_regular
from .names import CACHE, is_compiled, misspelled, spelling

LARGEST_FILE, LARGEST_ARCHIVE = 1 << 28, 1 << 31
MOST_MEMBERS = 200_000


class Limits(NamedTuple):
    """The limits of what is read.

    ``file`` is that of one file in bytes, after decompression; ``archive`` that of all members of an archive and of
    the archives in it; ``members`` is their number.
    """

    file: int = LARGEST_FILE
    archive: int = LARGEST_ARCHIVE
    members: int = MOST_MEMBERS


DEFAULT_LIMITS = Limits()

END = (1 << 16) + 22
"""Within so many bytes of the end of a file, a zip file has the record of its list of members."""


class VerificationError(DepyfError):
    """A path can't be verified at all: it does not exist, or is a damaged or hostile archive.

    Example:
        >>> try:
        ...     depyf.files.open_tree("nowhere")
        ... except depyf.files.VerificationError as error:
        ...     print(error)
        there is no file or folder nowhere
    """


class Problem(DepyfError):
    """One file or folder in a tree can't be read; the text says why.

    Example:
        >>> try:
        ...     depyf.files.open_tree(".").read("nothing.pyc")
        ... except depyf.files.Problem as error:
        ...     print(error)
        no longer exists, or is a folder
    """


class Entry(NamedTuple):
    """What is known of a file without reading it; ``time`` is in whole seconds, None if unknown."""

    size: int
    time: int | None


class Unreadable(NamedTuple):
    """A name in the tree that can't be read."""

    name: str
    reason: str


class Tree:
    """Named files. ``kind`` says how imports find them (`loading.Location`), ``description`` what it is.

    ``others``, the names of all files that are not compiled, is complete after `compiled`.
    """

    kind = "folder"
    path = ""
    description = "a folder"
    others: list[str]
    limits = DEFAULT_LIMITS

    def compiled(self) -> Iterator[str | Unreadable]:
        """The names of all compiled files, and what could not be read."""
        raise NotImplementedError

    def entry(self, name: str) -> Entry | None:
        """What is known of the file ``name``; None if there is none. Raises Problem."""
        raise NotImplementedError

    def read(self, name: str) -> bytes:
        """The content of the file ``name``. Raises Problem."""
        raise NotImplementedError

    def ends(self, name: str) -> tuple[bytes, bytes]:
        """The first bytes of a file, and the last `END`. Raises Problem."""
        data = self.read(name)
        return data[:END], data[-END:]

    def opened(self, name: str) -> IO[bytes]:
        """The file ``name``, to read anywhere in it. Raises Problem."""
        return io.BytesIO(self.read(name))

    def left(self) -> Limits:
        """The limits of an archive in this tree."""
        return self.limits

    def count_in(self, size: int, count: int) -> None:
        """Count what was found in an archive in this tree. Raises VerificationError."""

    def import_name(self, name: str) -> str:
        """The name as imports see it, from where they start."""
        return name

    def shown(self, name: str) -> str:
        """The name with the path of the tree."""
        return os.path.join(self.path, *name.split("/")) if self.path else name.replace("/", os.sep)


def compiled_in(tree: Tree, only: Sequence[str] = ()) -> Iterator[str | Unreadable]:
    """The compiled files of a tree, and what can't be read, that the patterns match."""
    return (one for one in tree.compiled() if is_matched(tree, one if isinstance(one, str) else one.name, only))


def is_matched(tree: Tree, name: str, only: Sequence[str]) -> bool:
    """Whether one of the patterns matches a name in the tree, as it is or as imports see it, or the last part of it;
    always if there are none."""
    names = {name, tree.import_name(name), name.rpartition("/")[2]} if only else set()
    return not only or any(fnmatchcase(each, pattern) for pattern in only for each in names)


class Folder(Tree):
    """A folder and all folders in it.

    A symbolic link to another folder is followed if it is called ``__pycache__``, since imports follow it; any other
    link that leads out of the tree is unreadable.
    """

    def __init__(self, path: str, limits: Limits = DEFAULT_LIMITS) -> None:
        self.path, self.below, self.limits, self.others = path, "", limits, []
        parent, base = os.path.split(path.rstrip(os.sep))
        if base == CACHE:  # the sources are beside it
            self.path, self.below = parent, base

    def compiled(self) -> Iterator[str | Unreadable]:
        """In the order of their names."""
        todo = [self.below]
        while todo:
            below = todo.pop()
            try:
                with os.scandir(self.shown(below) if below else self.path or ".") as entries:
                    found = sorted(entries, key=lambda entry: entry.name)
                names = [(below + "/" if below else "") + entry.name for entry in found]
                folders = [name for name, entry in zip(names, found) if _is_folder(entry)]
                links = {name for name, entry in zip(names, found) if entry.is_symlink()}
            except OSError as error:
                yield Unreadable(below or ".", f"can't be listed: {error.strerror}")
                continue
            inside = set(folders)
            for name, entry in zip(names, found):
                if is_compiled(name) and name not in inside:
                    reason = misspelled(name, spelling(name))
                    yield Unreadable(name, reason) if reason else name
                elif _is_file(entry):
                    self.others.append(name)
            yield from (self._elsewhere(name) for name in folders if name in links and self._leads_out(name))
            todo.extend(name for name in reversed(folders) if name not in links or self._is_cache(name))

    def _is_cache(self, name: str) -> bool:
        """Whether imports look for compiled files there: not in a nested one."""
        return name.rpartition("/")[2] == CACHE and CACHE not in name.split("/")[:-1]

    def _leads_out(self, name: str) -> bool:
        """Whether the link ``name`` leads to a folder that is not checked under another name."""
        if self._is_cache(name):
            return False
        root, target = os.path.realpath(self.path or "."), os.path.realpath(self.shown(name))
        return target != root and not target.startswith(os.path.join(root, ""))

    @staticmethod
    def _elsewhere(name: str) -> Unreadable:
        return Unreadable(name, "is a link to a folder elsewhere: name that folder to have it checked")

    def entry(self, name: str) -> Entry | None:
        """Links to files are followed, as imports do."""
        try:
            found = os.stat(self.shown(name))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            if isinstance(error, NotADirectoryError):
                return None
            raise Problem(f"can't be read: {getattr(error, 'strerror', None) or error}") from error
        if not stat.S_ISREG(found.st_mode):
            return None if stat.S_ISDIR(found.st_mode) else Entry(-1, None)
        return Entry(found.st_size, int(found.st_mtime))

    def read(self, name: str) -> bytes:
        """Read at most a bound; a pipe or a device would never end."""
        entry = self.entry(name)
        if entry is None:
            raise Problem("no longer exists, or is a folder")
        if entry.size < 0:
            raise Problem("is not a regular file")
        if entry.size > self.limits.file:
            raise Problem(f"has {entry.size} bytes, more than {self.limits.file}")
        try:
            with open_regular(self.shown(name)) as file:
                data = file.read(entry.size + 1)
        except OSError as error:
            raise Problem(f"can't be read: {error.strerror}") from error
        if len(data) > entry.size:
            raise Problem("grew while it was read")
        return data

    def ends(self, name: str) -> tuple[bytes, bytes]:
        """Only these bytes are read."""
        try:
            with open_regular(self.shown(name)) as file:
                head = file.read(END)
                size = file.seek(0, os.SEEK_END)
                if size <= len(head):
                    return head, head
                file.seek(size - END)
                return head, file.read(END)
        except OSError as error:
            raise Problem(f"can't be read: {error.strerror}") from error

    def opened(self, name: str) -> IO[bytes]:
        """The file itself."""
        try:
            return open_regular(self.shown(name))
        except OSError as error:
            raise Problem(f"can't be read: {error.strerror}") from error


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:
        return False


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether it is a folder; a link to itself is a file that can't be read."""
    try:
        return entry.is_dir()
    except OSError:
        return False


class SingleFile(Folder):
    """One compiled file, or those of one source file, in their folder."""

    def __init__(self, path: str, limits: Limits = DEFAULT_LIMITS) -> None:
        folder, base = os.path.split(path)
        if os.path.basename(folder) == CACHE:
            folder, base = os.path.dirname(folder), f"{CACHE}/{base}"
        super().__init__(folder, limits)
        self.name = base

    def compiled(self) -> Iterator[str | Unreadable]:
        """The file itself; of a source file, those in its ``__pycache__`` and the one beside it."""
        if not self.name.endswith((".py", ".pyw")):
            yield self.name
            return
        stem = self.name.rpartition(".")[0]
        try:
            names = sorted(os.listdir(self.shown(CACHE)))
        except (FileNotFoundError, NotADirectoryError):
            names = []
        except OSError as error:
            yield Unreadable(CACHE, f"can't be listed: {error.strerror}")
            names = []
        yield from (f"{CACHE}/{name}" for name in names if is_compiled(name) and name.startswith(stem + "."))
        if os.path.lexists(self.shown(stem + ".pyc")):
            yield stem + ".pyc"
