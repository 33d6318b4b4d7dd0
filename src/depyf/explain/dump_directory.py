"""Files of a dump: numbered names which are the same in every run, and no file of this process written over.

A file that is older than this process is from an earlier run: the same program writes the same names again.
A file that is younger and not ours was written by another process of the same job (ranks, workers): its name is
taken, and ours gets the next number. So is one which this process wrote before, because code objects that run
point at it.
"""

from __future__ import annotations

import os
import threading
import time
from typing import Dict, Set

__all__ = ["DumpDirectory"]

_STARTED = time.time()
_WRITTEN: Set[str] = set()  # paths written by this process, in any dump
_LOCK = threading.Lock()


class DumpDirectory:
    """The directory given to `prepare_debug`.

    Attributes:
        path: its absolute path.
    """

    def __init__(self, path: str) -> None:
        """Creates the directory if need be. Raises OSError when that is impossible."""
        self.path = os.path.abspath(path)
        self._counts: Dict[str, int] = {}
        os.makedirs(self.path, exist_ok=True)

    def reserve(self, template: str) -> str:
        """The path of a new file.

        Args:
            template: its name, with ``{}`` where the number goes (``__transformed_code_{}_for_f.py``).
        """
        with _LOCK:
            number = self._counts.get(template, 0)
            while not self._is_free(os.path.join(self.path, template.format(number))):
                number += 1
            self._counts[template] = number + 1
            path = os.path.join(self.path, template.format(number))
            _WRITTEN.add(path)
            return path

    def write(self, path: str, text: str) -> None:
        """Writes a reserved file as UTF-8, whole or not at all. Raises OSError."""
        unfinished = "{}.{}.part".format(path, os.getpid())
        try:
            with open(unfinished, "w", encoding="utf-8", newline="\n", errors="backslashreplace") as file:
                file.write(text)
            os.replace(unfinished, path)
        except BaseException:
            if os.path.exists(unfinished):
                os.remove(unfinished)
            raise

    def _is_free(self, path: str) -> bool:
        if path in _WRITTEN:
            return False
        try:
            return os.stat(path).st_mtime < _STARTED
        except OSError:
            return True
