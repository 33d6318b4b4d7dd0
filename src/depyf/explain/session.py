"""Recording what torch.compile does: `with depyf.prepare_debug("dump"):`. Start reading here.

    prepare_debug      begins a recording, ends it (this file)
    patches.py         what is hooked and changed in torch while it lasts, one row each
    recorder.py        hears from the hooks; writes transformed code, graphs and kernels; fills the model
    model.py           the model: plain data
    report/            reads the model, writes the pages and the index
    torch_behavior.py  every difference between versions of torch
    containment.py     nothing of ours crosses into torch or the user's program

Setting up and taking down are contained like everything else: if the directory cannot be made, or torch has none
of the hooks, the block runs as if it stood alone, and one line in the log says so.
"""

from __future__ import annotations

import contextlib
import os
from typing import Iterator, List, Union

from depyf.errors import require_torch
from depyf.explain.containment import contained, logger
from depyf.explain.dump_directory import DumpDirectory
from depyf.explain.model import Session
from depyf.explain.patches import apply_patches
from depyf.explain.recorder import Recorder

__all__ = ["active_recorders", "last_directory", "prepare_debug"]

_active: List[Recorder] = []
_directories: List[str] = []


def active_recorders() -> List[Recorder]:
    """The recording that is going on, as a list of one; empty outside of `prepare_debug`."""
    return list(_active)


def last_directory() -> str:
    """The directory of the recording that is going on or ended last; "" when there was none."""
    return _directories[-1] if _directories else ""


@contextlib.contextmanager
def prepare_debug(
    dump_src_dir: Union[str, os.PathLike[str]],
    clean_wild_fx_code: bool = True,
    log_bytecode: bool = False,
) -> Iterator[Session]:
    """Records what `torch.compile` does in the block, as files to read, to set breakpoints in, and to compare.

    Put it around the calls which compile, not around the decorator::

        with depyf.prepare_debug("./dump"):
            main()

    ``README.md`` in the directory says what each file is and which to open first. Where the decompiled code is proven
    to do what Dynamo's does, it runs in its place, and breakpoints in ``__transformed_code_*`` files are hit (see
    `depyf.debug`). Results are those of a run without the recording. Inductor's caches of whole graphs are not read
    while it lasts, so that every stage is seen.

    Args:
        dump_src_dir: the directory; made if it does not exist.
        clean_wild_fx_code: False to get code which torch.fx generated for its own purposes too: ``fx_graph_code_*``.
        log_bytecode: True to get listings of the bytecode beside each ``__transformed_code_*`` file.

    Yields the model (`depyf.explain.model.Session`). Inside another `prepare_debug` the outer one goes on recording,
    into its own directory, and the inner does nothing.

    Raises TypeError for a directory that is no path, ImportError when torch cannot be imported. Later failures cost
    single files, are listed in the index, and go to ``logging.getLogger("depyf")``.
    """
    if not isinstance(dump_src_dir, (str, os.PathLike)):
        raise TypeError("prepare_debug takes the directory to write to, not {!r}".format(dump_src_dir))
    directory = str(os.fspath(dump_src_dir))
    require_torch("prepare_debug")  # its absence must be an ImportError here, not a missing hook later

    if _active:
        outer = _active[-1]
        logger.warning("prepare_debug inside prepare_debug: everything goes to %s, nothing to %s",
                       outer.dump.path, directory)
        yield outer.session
        return
    with contextlib.ExitStack() as undo:
        yield _begin(directory, clean_wild_fx_code, log_bytecode, undo)


def _begin(directory: str, clean_wild_fx_code: bool, log_bytecode: bool, undo: contextlib.ExitStack) -> Session:
    session = Session(directory=directory)
    with contained(session, "making the directory {}".format(directory), "the whole dump"):
        recorder = Recorder(DumpDirectory(directory), clean_wild_fx_code, log_bytecode)
        session = recorder.session
        _active.append(recorder)
        _directories.append(recorder.dump.path)
        undo.callback(_end, recorder)
        apply_patches(recorder, undo)
    return session


def _end(recorder: Recorder) -> None:
    """The last thing to happen: torch is as it was before, so nothing that we do now is recorded."""
    _active.remove(recorder)
    recorder.finish()
    logger.info("what torch.compile did is described in %s", os.path.join(recorder.dump.path, "README.md"))

