"""What programs written for earlier depyf reach into, vLLM above all. Nothing in depyf uses it.

vLLM replaces `depyf.explain.enable_debugging.patched_load_by_key_path` by a function of its own and reads `data`;
that stays harmless here, as depyf calls neither.
"""

from __future__ import annotations

import contextlib
import os
from typing import Any, Iterator, MutableMapping

from ...writing import write_file
from ..containment import logger
from ..recording import patches, session
from ..torch_facts import torch_behavior

__all__ = [
    "data",
    "get_current_compiled_fn_name",
    "lock_on_file",
    "patched_load_by_key_path",
    "write_code_to_file_template",
]


class _Data(MutableMapping[str, Any]):
    """The old global dictionary: state of the recording as it is now, and whatever else others put in."""

    def __init__(self) -> None:
        self._others: dict[str, Any] = {"optimized_functions": set()}

    def _state(self) -> dict[str, Any]:
        return {
            "dump_src_dir": session.last_directory(),
            "is_inside_prepare_debug": bool(session.active_recorders()),
            "unpatched_load_by_key_path": patches.original_kernel_loader(),
        }

    def __getitem__(self, key: str) -> Any:
        return self._others[key] if key in self._others else self._state()[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self._others[key] = value

    def __delitem__(self, key: str) -> None:
        del self._others[key]

    def __iter__(self) -> Iterator[str]:
        return iter({**self._state(), **self._others})

    def __len__(self) -> int:
        return len({**self._state(), **self._others})


data: MutableMapping[str, Any] = _Data()


def patched_load_by_key_path(*args: Any, **kwargs: Any) -> Any:
    """Loads a module which Inductor generated: torch's `PyCodeCache.load_by_key_path`, arguments passed through.

    While a recording is going on, torch's function is the recording one, so the module is written to the dump.
    """
    return torch_behavior.find("torch._inductor.codecache", "PyCodeCache").load_by_key_path(*args, **kwargs)


def get_current_compiled_fn_name() -> str:
    """The name, without uuid, of the graph that Dynamo made last: ``__compiled_fn_3``; number 0 when there was none."""
    for recorder in session.active_recorders():
        return str(recorder.current_graph)
    try:
        counter = torch_behavior.find("torch._dynamo.bytecode_transformation", "_unique_id_counter")
        number = int(repr(counter).split("(")[1].rstrip(")")) - 1  # count(4): it cannot be copied on Python 3.14
    except (torch_behavior.MissingHook, IndexError, ValueError):
        number = 0
    return f"__compiled_fn_{max(number, 0)}"


@contextlib.contextmanager
def lock_on_file(path_template: str) -> Iterator[None]:
    """Kept for callers. `write_code_to_file_template` needs no lock file: it creates files exclusively."""
    yield


def write_code_to_file_template(src: str, path_template: str) -> str:
    """Writes `src` to the first free name, or finds it there already.

    Args:
        src: the text.
        path_template: a path with ``%s`` where the number goes.

    Returns the path. Raises OSError.
    """
    number = 0
    while True:
        path = path_template % str(number)
        try:
            write_file(path, src, new=True)
            return path
        except FileExistsError:
            with open(path, encoding="utf-8") as file:
                if file.read() == src:
                    return path
            logger.debug("%s has other contents, trying the next number", os.path.basename(path))
            number += 1
