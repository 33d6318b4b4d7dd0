"""Names which are the same in every run.

Dynamo puts a uuid after the names of compiled functions (torch 2.8 and later, resume functions on 2.8 alone), the id
of an object into the name of a global that it makes for it (`OutputGraph.install_global_by_id`, 2.4 to 2.15; that of an
optimizer has two), and ids into guards. None of these may reach a file: two runs of one program must give equal text.
"""

from __future__ import annotations

import hashlib
import keyword
import os
import re
import sys

__all__ = ["file_name", "identifier", "real_name", "safe_file_part", "stable", "without_addresses", "writable_name"]

_WITH_UUID = re.compile(
    r"\b((?:__compiled_fn|__resume_at|__transformed_code)(?:_\d+)+?)_[0-9a-f]{8}_[0-9a-f]{4}_[0-9a-f]{4}_[0-9a-f]{4}_[0-9a-f]{12}\b"
)
_GET_UUIDS = ("__compiled_fn", "__resume_at", "__transformed_code")  # looking for these takes less time
_WITH_HEX = re.compile(r"\b((?:__compiled_fn|__resume_at)(?:_\d+)+?)_[0-9a-f]{32}\b")
_WITH_ID = re.compile(r"\b(\w*?)(?:_\d{9,})+_c(\d+)\b")
_HAS_ID = re.compile(r"_\d{9,}_c\d")  # found in less time than `_WITH_ID` takes to find none
_ADDRESS = re.compile(r"\b(?:at )?0x[0-9a-fA-F]{6,}\b")
_NOT_IN_FILES = re.compile(r"[^A-Za-z0-9_.]+")
_NEVER_IN_NAMES = re.compile(r'[\x00-\x1f\x7f/\\:*?"|<>]')
_LONGEST_NAME = 180  # in bytes; most file systems stop at 255, and what is beside a file adds to its name


_SHORT: dict[str, str] = {}  # names with an id -> without it; as they come, so that no two become one
_REAL: dict[str, str] = {}  # and back


def stable(text: str) -> str:
    """`text` with the uuids and the ids taken off Dynamo's names."""
    if any(name in text for name in _GET_UUIDS):
        text = _WITH_HEX.sub(r"\1", _WITH_UUID.sub(r"\1", text))
    return _WITH_ID.sub(_without_id, text) if _HAS_ID.search(text) else text


def real_name(name: str) -> str:
    """The name of Dynamo's, with the id in it, that `stable` has made `name` of; else `name`."""
    return _REAL.get(name, name)


def _without_id(match: re.Match[str]) -> str:
    real = match.group()
    if real not in _SHORT:
        first = name = "{}_c{}".format(*match.groups())
        number = 1
        while name in _REAL:
            number += 1
            name = f"{first}_{number}"
        _SHORT[real], _REAL[name] = name, real
    return _SHORT[real]


def without_addresses(text: str) -> str:
    """`text` with ``at 0x7f...`` taken out, as in the repr of a function."""
    return _ADDRESS.sub("...", text) if "0x" in text else text


def file_name(path: str) -> str:
    """The last part of a path, whatever its separators; ``In[3]`` for a notebook's cell, as IPython calls it.

    A cell's code says it is from ``/tmp/ipykernel_4711/202082268.py``: the kernel's process and a hash.
    """
    return _notebook_cell(path) or path.replace("\\", "/").rsplit("/", 1)[-1]


def _notebook_cell(path: str) -> str:
    if "ipykernel" not in path and "ipython-input" not in path:
        return ""
    try:
        cells = sys.modules["IPython"].get_ipython().compile
        whole = next((known for known in cells._filename_map if known.endswith(path)), path)  # torch shortens paths
        return str(cells.format_code_name(whole)[1])
    except (KeyError, AttributeError, TypeError, IndexError):  # no kernel, or an IPython before 8
        return ""


def safe_file_part(name: str) -> str:
    """`name` as a part of a file name: ``<lambda>`` becomes ``lambda``."""
    return _NOT_IN_FILES.sub("_", name).strip("_") or "anonymous"


def writable_name(name: str) -> str:
    """`name` as the name of a file on any system: as it is where it can be, else some characters are others.

    Names that are too long keep their beginning and their end, and get a number which tells them apart.
    """
    text = _NEVER_IN_NAMES.sub("_", name)
    try:
        length = len(os.fsencode(text))
    except UnicodeEncodeError:  # the system's encoding has no such letters, or nothing has: a lone surrogate
        text = text.encode("ascii", "backslashreplace").decode().replace("\\", "_")
        length = len(text)
    if length > _LONGEST_NAME:
        short = text.encode("ascii", "replace").decode().replace("?", "_")
        digest = hashlib.md5(text.encode("utf-8", "backslashreplace")).hexdigest()[:8]
        text = f"{short[:100]}_{digest}_{short[-50:]}"
    return text


def identifier(name: str) -> str:
    """`name` as a part of a Python identifier: ``<lambda>`` becomes ``lambda_``."""
    part = re.sub(r"\W+", "_", name)
    part = part.strip("_") if name.startswith("<") else part
    return part + "_" if keyword.iskeyword(part) else part or "anonymous"
