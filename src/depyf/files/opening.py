"""A path -> the tree there. The kind of an archive is determined by its content."""

from __future__ import annotations

import os
from typing import IO

from . import py2exe
from .archives import DAMAGED, Archive, error_text
from .content import begins_as_tar, is_program, is_unread, may_be_archive
from .names import is_compiled
from .pyinstaller import PyInstallerTree, find_cookie
from .tars import TarTree, is_tar
from .trees import DEFAULT_LIMITS, Folder, Limits, Problem, SingleFile, Tree, Unreadable, VerificationError
from .zip_lists import EMPTY, MEMBER, find_list, list_end
from .zips import ZipTree

_COMPRESSED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0")
_MOST_LEVELS = 3
"""Of archives in archives."""


def open_tree(path: str, limits: Limits = DEFAULT_LIMITS) -> Tree:
    """What is at ``path``: a folder, an archive, or one file.

    Args:
        path: where it is.
        limits: how much of it is read.

    Raises:
        VerificationError: there is nothing, or an archive that is damaged, hostile or too large.

    Example:
        >>> import compileall, pathlib
        >>> pathlib.Path("package").mkdir()
        >>> _ = pathlib.Path("package/one.py").write_text("x = 1")
        >>> _ = compileall.compile_dir("package", quiet=2, legacy=True)
        >>> tree = depyf.files.open_tree("package")
        >>> tree.description, list(tree.compiled())
        ('a folder', ['one.pyc'])
        >>> len(tree.read("one.pyc")) == tree.entry("one.pyc").size
        True
    """
    if os.path.isdir(path):
        return Folder(path, limits)
    if not os.path.lexists(path):
        raise VerificationError(f"there is no file or folder {path}")
    return (os.path.isfile(path) and open_archive(path, None, limits)) or SingleFile(path, limits)


def open_archive(path: str, file: IO[bytes] | None = None, limits: Limits = DEFAULT_LIMITS) -> Archive | None:
    """The archive at ``path``, detected by content; None if it is no archive. Raises VerificationError.

    ``file`` is that of an archive in another tree. There a compressed file may be anything.
    """
    tree = None
    try:
        opened = open(path, "rb") if file is None else file
    except OSError as error:
        raise VerificationError(f"can't read {path}: {error.strerror}") from error
    try:
        try:
            tree = _archive(path, opened, limits, file is not None)
        finally:
            if tree is None:
                opened.close()
    except VerificationError:
        raise
    except DAMAGED as error:
        raise VerificationError(f"can't read the archive {path}: {error_text(error)}") from error
    return tree


def _archive(path: str, file: IO[bytes], limits: Limits, is_inner: bool) -> Archive | None:
    head = file.read(512)
    begins_as_zip, is_plain_tar = head.startswith((MEMBER, EMPTY)), begins_as_tar(head)
    if is_plain_tar and not begins_as_zip:
        return TarTree(path, file, limits)
    is_zip = begins_as_zip or find_list(file)
    as_tar = is_plain_tar or head.startswith(_COMPRESSED) and (not is_inner or _is_tar(file, limits))
    if is_zip and as_tar:
        raise VerificationError(f"{path} is a zip file and a tar file: which one is meant depends on the unpacker")
    if as_tar:
        return TarTree(path, file, limits)
    cookie = None if begins_as_zip else find_cookie(path, file)
    if cookie is not None:
        if (list_end(file) or 0) > cookie:
            raise VerificationError(f"{path} is a program by PyInstaller with a zip file behind it, which Python runs")
        return PyInstallerTree(path, file, cookie, limits)
    by_py2exe = is_program(path, head) and py2exe.has_scripts(file)
    if by_py2exe and not is_zip:
        raise VerificationError(f"{path}: {py2exe.UNREAD}; its modules are in a zip file, such as library.zip")
    tree = ZipTree(path, file, limits) if is_zip else None
    if by_py2exe and tree is not None:
        tree.description = "a program by py2exe"
        tree.unreadable.append(Unreadable("PYTHONSCRIPT", py2exe.UNREAD))
    return tree


def _is_tar(file: IO[bytes], limits: Limits) -> bool:
    try:
        return is_tar(file, limits)
    except DAMAGED:
        return False


def open_inner(tree: Tree, name: str, level: int) -> Archive | Unreadable | None:
    """The archive that the file ``name`` of a tree is, the reason why it can't be read, or None.

    ``level``: how many archives ``tree`` is in, itself included.
    """
    if is_compiled(name):
        return None
    try:
        head, tail = tree.ends(name)
        if not may_be_archive(name, head, tail):
            return None
        if is_unread(head):
            return Unreadable(name, "is an archive, or compressed, in a way that depyf does not read")
        inner = open_archive(tree.shown(name), tree.opened(name), tree.left())
        if inner is not None and level >= _MOST_LEVELS:
            return Unreadable(name, f"is an archive in {level} others: unpack one to have it checked")
        return inner
    except Problem as error:
        return Unreadable(name, str(error))
    except VerificationError as error:
        return Unreadable(name, f"is an archive that can't be checked: {error}")
