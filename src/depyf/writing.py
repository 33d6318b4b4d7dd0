"""How depyf writes files: whole or not at all, with the mode that the umask gives, and through no link.

The text goes to a file of a random name beside the place, which is then renamed: whoever looks finds the old file or
the new one, and a full disk leaves the old one. Nothing is synced to the disk: what a loss of power may leave is an
empty file, and `decompile` of a folder notices that.

A link at the place is replaced, not followed. Below a folder given as ``within`` no link is followed at all, also none
that is put there meanwhile: the folders on the way are opened one inside the other (where the system can do that).
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import re
import signal
import stat
from typing import Iterator

from .reading import names_what_is_open

__all__ = ["open_below", "open_folder", "remove_unfinished", "undisturbed", "write_file"]

_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_WALKS = {os.open, os.mkdir, os.rename, os.unlink, os.stat} <= os.supports_dir_fd and hasattr(os, "O_DIRECTORY")
"""Whether a file can be named inside of an open folder."""

_UNFINISHED = re.compile(r"\.depyf-[0-9a-f]{16}\.part")


def write_file(
    path: str | os.PathLike[str], text: str | bytes, *, within: str | os.PathLike[str] | None = None,
    new: bool = False, keep: bool = False, errors: str = "surrogatepass",
) -> None:  # fmt: skip
    """Write a file, as UTF-8, with the mode of a new one whether or not it existed.

    Missing folders below ``within``, which must exist, are made. Without it, a device or a pipe at ``path`` is written
    to, unless it is another user's: ``/dev/stdout``, ``>(cmd)``. ``new``: raise FileExistsError if anything is there.
    ``keep``: what is there is kept as ``NAME.orig``, or ``NAME.orig2`` and so on.
    Raises OSError, whose ``strerror`` says what is wrong; the file is then as it was.
    """
    path = os.fspath(path)
    data = text if isinstance(text, bytes) else text.encode("utf-8", errors)
    if within is None and not new and _is_stream(path):
        # Appended: standard output may be a file that has a beginning.
        with open(os.open(path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_NOCTTY", 0)), "wb") as file:
            file.write(data)
        return
    with undisturbed(), _place(path, within) as (name, folder):
        if new:
            os.close(os.open(name, _NEW, 0o666, dir_fd=folder))
        unfinished = os.path.join(os.path.dirname(name), f".depyf-{os.urandom(8).hex()}.part")
        made = [name] if new else []
        try:
            opened = os.open(unfinished, _NEW, 0o666, dir_fd=folder)
            made.append(unfinished)
            with open(opened, "wb") as file:
                file.write(data)
            if keep:
                _keep(name, folder)
            os.replace(unfinished, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            for one in made:
                with contextlib.suppress(OSError):
                    os.unlink(one, dir_fd=folder)
            raise


def open_below(path: str, within: str, flags: int) -> int:
    """Open a file below the folder ``within``, through no link and without waiting. Raises OSError."""
    with _place(path, within, make=bool(flags & os.O_CREAT)) as (name, folder):
        return os.open(name, flags | _NO_LINK | getattr(os, "O_NONBLOCK", 0), 0o666, dir_fd=folder)


def open_folder(path: str, within: str, *, make: bool = True) -> int:
    """Open the folder ``path``, which is ``within`` or below it, through no link; ``make`` it if it is missing below.

    Raises OSError.
    """
    root, path = os.path.abspath(within), os.path.abspath(path)
    inside = os.path.relpath(path, root)
    if inside.split(os.sep)[0] == os.pardir or os.path.isabs(inside):
        raise OSError(errno.EXDEV, f"{path} leads out of {within}")
    _refuse_link_of_others(within)
    folder = os.open(within, _FOLDER | getattr(os, "O_CLOEXEC", 0))
    for name in [] if inside == os.curdir else inside.split(os.sep):
        try:
            if make:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(name, dir_fd=folder)
            below = os.open(name, _FOLDER | _NO_LINK, dir_fd=folder)
        except OSError as error:
            if _is_link(name, folder):
                reason = f"{os.path.join(within, inside)} leads out of {within}, or may: {name} is a link"
                raise OSError(errno.ELOOP, reason) from error
            raise
        finally:
            os.close(folder)
        folder = below
    return folder


def remove_unfinished(path: str, within: str) -> None:
    """Remove from a folder what a process that was killed has not finished; nobody may be writing there."""
    with contextlib.suppress(OSError):
        if not _WALKS:
            for name in filter(_UNFINISHED.fullmatch, os.listdir(path)):
                os.unlink(os.path.join(path, name))
            return
        folder = open_folder(path, within, make=False)
        try:
            for name in filter(_UNFINISHED.fullmatch, os.listdir(folder)):
                os.unlink(name, dir_fd=folder)
        finally:
            os.close(folder)


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Signals that would end this process, and leave something behind, wait until the block ends."""
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def _place(
    path: str, within: str | os.PathLike[str] | None, *, make: bool = True
) -> Iterator[tuple[str, int | None]]:
    """The name of a file, and the open folder that it is in; None if the name is relative to no folder."""
    if within is None:
        yield path, None
        return
    root, parent = os.fspath(within), os.path.dirname(path)
    if _WALKS:
        folder = open_folder(parent, root, make=make)
        try:
            yield os.path.basename(path), folder
        finally:
            os.close(folder)
        return
    # The folder is looked at before it is made, which would follow a link.
    if os.path.commonpath([os.path.realpath(root), os.path.realpath(parent)]) != os.path.realpath(root):
        raise OSError(errno.EXDEV, f"{path} leads out of {root}")
    os.stat(root)
    if make:
        os.makedirs(parent, exist_ok=True)
    yield path, None


def _keep(name: str, folder: int | None) -> None:
    """Give a file, or a link, a second name."""
    for number in itertools.count(1):
        kept = f"{name}.orig{number if number > 1 else ''}"
        try:
            os.link(name, kept, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
            return
        except FileExistsError:
            continue
        except (OSError, NotImplementedError):  # the file system has one name for each file
            os.replace(name, kept, src_dir_fd=folder, dst_dir_fd=folder)
            return


def _is_stream(path: str) -> bool:
    """Whether there is a device or a pipe that the user may mean."""
    try:
        there = os.lstat(path)
        if stat.S_ISLNK(there.st_mode):
            return names_what_is_open(path)
    except OSError:
        return False
    if stat.S_ISREG(there.st_mode) or stat.S_ISDIR(there.st_mode):
        return False
    if hasattr(os, "geteuid") and there.st_uid not in (0, os.geteuid()):
        raise OSError(errno.EPERM, f"{path} is no file, and belongs to another user")
    return True


def _refuse_link_of_others(path: str) -> None:
    """As Linux does in sticky folders (fs.protected_symlinks)."""
    there = os.lstat(path.rstrip(os.sep) or path)
    if stat.S_ISLNK(there.st_mode) and hasattr(os, "geteuid") and there.st_uid not in (0, os.geteuid()):
        raise OSError(errno.EPERM, f"{path} is a link of another user")


def _is_link(name: str, folder: int) -> bool:
    try:
        return stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return False
