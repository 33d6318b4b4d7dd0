"""A path -> the tree there. The kind of an archive is determined by its content."""

from __future__ import annotations

import os
import zipfile

from . import py2exe
from .archives import DAMAGED, TarTree, ZipTree, error_text
from .pyinstaller import PyInstallerTree, find_cookie
from .trees import Folder, SingleFile, Tree, Unreadable, VerificationError

_MEMBER = b"PK\3\4"
"""The start of a zip file's first member. In recent releases, such as 3.13.18, is_zipfile() is False if the list of
members is damaged."""


def open_tree(path: str) -> Tree:
    """What is at ``path``: a folder, an archive, or one file. Raises VerificationError."""
    if os.path.isdir(path):
        return Folder(path)
    if not os.path.lexists(path):
        raise VerificationError(f"there is no file or folder {path}")
    archive = open_archive(path) if os.path.isfile(path) else None
    return archive or SingleFile(path)


def open_archive(path: str) -> Tree | None:
    """The archive at ``path``, detected by content; None if it is no archive. Raises VerificationError."""
    try:
        with open(path, "rb") as file:
            head = file.read(512)
        cookie = find_cookie(path)
        if cookie is not None:
            return PyInstallerTree(path, cookie)
        by_py2exe = py2exe.has_scripts(path)
        if zipfile.is_zipfile(path) or head[:4] == _MEMBER:
            tree = ZipTree(path)
            if by_py2exe:
                tree.description = "a program by py2exe"
                tree.unreadable.append(Unreadable("PYTHONSCRIPT", py2exe.UNREAD))
            return tree
        if by_py2exe:
            raise VerificationError(f"{path}: {py2exe.UNREAD}; its modules are in a zip file, such as library.zip")
        if head[:2] == b"\x1f\x8b" or head[:3] == b"BZh" or head[:6] == b"\xfd7zXZ\0" or head[257:262] == b"ustar":
            return TarTree(path)
    except VerificationError:
        raise
    except DAMAGED as error:
        raise VerificationError(f"can't read the archive {path}: {error_text(error)}") from error
    return None
