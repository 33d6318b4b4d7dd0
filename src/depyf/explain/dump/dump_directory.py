"""Files of a dump: numbered names which are the same in every run, and no file of this process written over.

A file that is older than this process is from an earlier run: the same program writes the same names again.
A file that is younger and not ours was written by another process of the same job: its name is taken, and ours gets
the next number. So is one which this process wrote before, because code objects that run point at it.
"""

from __future__ import annotations

import contextlib
import os
import threading
from typing import Iterable

from ...writing import open_below, write_file
from ..names import writable_name
from .processes import INDEX, WRITTEN, ProcessFolder, is_of_this_run

__all__ = ["DumpDirectory", "write_index", "write_whole"]

_BEGUN = """# A recording which has not ended

The program is still inside `depyf.prepare_debug`, or it was killed there. Each file that lies here is whole.
`__transformed_code_*` is what Dynamo made of a function, `__compiled_fn_*` are its graphs, stage by stage, and kernels.
The pages (`full_code_for_*`), the guards and the index, which replaces this text, are written when the block ends.
"""
_OURS = ("full_code_for_", "guards_", "__transformed_code_", "__compiled_fn_", "__no_compiled_fn", "fx_graph_code_")
_RANKS = """# What torch.compile made of this program

Each rank of the job has a folder of its own:

"""


class DumpDirectory:
    """The directory given to `prepare_debug`, or this process's part of it (see `processes.py`).

    Attributes:
        path: its absolute path.
        copies: other directories that get the same files; they need not exist.
    """

    def __init__(self, path: str, forked_from: str = "") -> None:
        """Creates the directory if need be. Raises OSError when that is impossible."""
        self._counts: dict[str, int] = {}
        self._lock = threading.Lock()
        self._folder = ProcessFolder(path, forked_from)
        self.path = self._folder.path
        self.copies: list[str] = []

    def begin(self) -> None:
        """Writes an index for whoever looks before there is one. Raises OSError."""
        self.write(os.path.join(self.path, INDEX), _BEGUN)
        if self._folder.ranks > 1:
            above = os.path.join(os.path.dirname(self.path), INDEX)
            self.write(above, _RANKS + "".join(f"- rank_{n}/{INDEX}\n" for n in range(self._folder.ranks)))

    def other_processes(self) -> list[str]:
        """Folders, below this one, of processes which recorded here too: forked ones, and those which came later."""
        found = [name for name in os.listdir(self.path) if name.startswith("process_")]
        return sorted(name for name in found if is_of_this_run(os.path.join(self.path, name, INDEX)))

    def of_earlier_recordings(self, written: Iterable[str]) -> list[str]:
        """Files with names that a dump gives, which are neither among those `written` now nor another process's."""
        known = set(written)
        found = [name for name in os.listdir(self.path) if name.startswith(_OURS) and name not in known]
        paths = {name: os.path.join(self.path, name) for name in found}
        return sorted(name for name, path in paths.items() if path in WRITTEN or not is_of_this_run(path))

    def copy(self) -> None:
        """Brings the `copies` up to date. Raises OSError.

        Numbered files that this process recorded there for itself stay: code objects that run point at them.
        """
        own = [path for path in sorted(WRITTEN) if os.path.dirname(path) == self.path and os.path.isfile(path)]
        for directory in self.copies:
            os.makedirs(directory, exist_ok=True)
            for path in own:
                copied = os.path.join(directory, os.path.basename(path))
                if copied not in WRITTEN or not os.path.basename(path).startswith(_OURS):
                    with open(path, "rb") as file:
                        write_file(copied, file.read(), within=directory)

    def close(self) -> None:
        """Lets other processes write here."""
        self._folder.release()

    def reserve(self, template: str) -> str:
        """The path of a new file.

        Args:
            template: its name, with ``{}`` where the number goes (``__transformed_code_{}_for_f.py``).
        """
        with self._lock:
            number = self._counts.get(template, 0)
            while True:
                path = os.path.join(self.path, writable_name(template.format(number)))
                if path not in WRITTEN and not is_of_this_run(path):
                    break
                number += 1
            self._counts[template] = number + 1
            WRITTEN.add(path)
            return path

    def write(self, path: str, text: str) -> None:
        """Writes a file as UTF-8, whole or not at all. Raises OSError."""
        WRITTEN.add(path)  # before it lies there: another recording of this process may look
        write_whole(path, text)


def write_whole(path: str, text: str) -> None:
    """Writes a file as UTF-8: whoever looks finds all of it or none. Raises OSError."""
    write_file(path, text, within=os.path.dirname(path), errors="backslashreplace")
    WRITTEN.add(path)


def write_index(path: str, text: str) -> None:
    """Writes an index. Where there is no room for it, the one to begin with says so: it lies there. Raises OSError."""
    try:
        write_whole(path, text)
    except OSError as error:
        why = f"# The index could not be written\n\n{error.strerror or type(error).__name__}\n"
        with contextlib.suppress(FileNotFoundError):
            with open(open_below(path, os.path.dirname(path), os.O_WRONLY), "w", encoding="utf-8") as file:
                file.write(why)
                file.truncate()
        raise
