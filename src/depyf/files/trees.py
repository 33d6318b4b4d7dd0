"""Folders and single files as trees of named files; archives are in archives.py.

Names have ``/`` between folders and are relative to the tree. What can't be read is a `Problem`, never an exception
of the operating system, and every read has a bound.
"""

from __future__ import annotations

import os
import stat
from typing import Iterator, NamedTuple

from ..errors import DepyfError
from .names import CACHE, is_compiled

LARGEST_FILE = 1 << 26
"""The limit of bytes of one file; no file of CPython's library has a hundredth of it."""


class VerificationError(DepyfError):
    """A path can't be verified at all: it does not exist, or is a damaged or hostile archive."""


class Problem(DepyfError):
    """One file or folder in a tree can't be read; the text says why."""


class Entry(NamedTuple):
    """What is known of a file without reading it; ``time`` is in whole seconds, None if unknown."""

    size: int
    time: int | None


class Unreadable(NamedTuple):
    """A name in the tree that can't be read."""

    name: str
    reason: str


class Tree:
    """Named files. ``kind`` says how imports find them (`loading.Location`), ``description`` what it is."""

    kind = "folder"
    path = ""
    description = "a folder"

    def compiled(self) -> Iterator[str | Unreadable]:
        """The names of all compiled files, and what could not be read."""
        raise NotImplementedError

    def entry(self, name: str) -> Entry | None:
        """What is known of the file ``name``; None if there is none. Raises Problem."""
        raise NotImplementedError

    def read(self, name: str) -> bytes:
        """The content of the file ``name``. Raises Problem."""
        raise NotImplementedError

    def import_name(self, name: str) -> str:
        """The name as imports see it, from where they start."""
        return name

    def shown(self, name: str) -> str:
        """The name with the path of the tree."""
        return os.path.join(self.path, *name.split("/")) if self.path else name.replace("/", os.sep)


class Folder(Tree):
    """A folder and all folders in it.

    A symbolic link to another folder is followed if it is called ``__pycache__``, since imports follow it; any other
    link that leads out of the tree is unreadable.
    """

    def __init__(self, path: str) -> None:
        self.path, self.below = path, ""
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
            yield from (name for name in names if is_compiled(name) and name not in inside)
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
        if entry.size > LARGEST_FILE:
            raise Problem(f"has {entry.size} bytes, more than {LARGEST_FILE}")
        try:
            with open(self.shown(name), "rb") as file:
                data = file.read(LARGEST_FILE + 1)
        except OSError as error:
            raise Problem(f"can't be read: {error.strerror}") from error
        if len(data) > LARGEST_FILE:
            raise Problem(f"has more than {LARGEST_FILE} bytes")
        return data


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether it is a folder; a link to itself is a file that can't be read."""
    try:
        return entry.is_dir()
    except OSError:
        return False


class SingleFile(Folder):
    """One compiled file, or those of one source file, in their folder."""

    def __init__(self, path: str) -> None:
        folder, base = os.path.split(path)
        if os.path.basename(folder) == CACHE:
            folder, base = os.path.dirname(folder), f"{CACHE}/{base}"
        super().__init__(folder)
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
