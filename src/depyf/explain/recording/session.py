"""Recording what torch.compile does: `with depyf.prepare_debug("dump"):`. Start reading here.

    prepare_debug      begins a recording, ends it (this file)
    patches.py         what is hooked and changed in torch while it lasts, one row each
    recorder.py        hears from the hooks; writes transformed code, graphs and kernels; fills the model
    outcome_hooks.py   hooks for compilations that gave nothing to run
    breakpoints.py     `depyf.debug()`

Setting up and taking down are contained like everything else: if the directory cannot be made, or torch has none
of the hooks, the block runs as if it stood alone, and one line in the log says so.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
import time
from typing import Any, Iterator, NamedTuple

from ...decompiler.limits.garbage import no_collections
from ...errors import require_torch
from ..containment import contained, done, edge, logger, told
from ..dump.dump_directory import DumpDirectory
from ..dump.processes import INDEX
from ..kernels.timing import KernelTimers
from ..model import Session
from ..running import ACTIVE
from ..stepping import debuggers
from ..stepping.as_written import Followed
from ..torch_facts.torch_attempts import calls_of_compile
from ..torch_facts.torch_debugging import pass_over
from .patches import apply_patches
from .recorder import Recorder

__all__ = ["active_recorders", "compiled_functions", "last_directory", "note_error_of_program", "prepare_debug"]


class _DebugBlock(NamedTuple):
    """A block of `prepare_debug`: its thread, its arguments, what is undone when it is left, its model."""

    thread: int
    arguments: tuple[str, bool, bool, bool, bool]
    undo: contextlib.ExitStack
    session: Session

    @property
    def path(self) -> str:
        """The directory."""
        return os.path.abspath(self.arguments[0])


_owner: list[_DebugBlock] = []  # the block that is recorded, as a list of one
_waiting: list[_DebugBlock] = []  # blocks which other threads entered meanwhile
_directories: list[str] = []
_compiled: list[Followed] = []
_CHANGING = threading.RLock()  # held by the thread that begins or ends a recording


def _renew_lock() -> None:
    global _CHANGING
    _CHANGING = threading.RLock()
    _waiting.clear()  # their threads are not in this process


if hasattr(os, "register_at_fork"):  # another thread may hold it while this one forks
    os.register_at_fork(after_in_child=_renew_lock)


def active_recorders() -> list[Recorder]:
    """The recording that is going on, as a list of one; empty outside of `prepare_debug`."""
    return list(ACTIVE)


def last_directory() -> str:
    """The directory of the recording that is going on or ended last; "" when there was none."""
    return _directories[-1] if _directories else ""


def compiled_functions() -> list[Followed]:
    """What recordings that have ended saw compiled."""
    return list(_compiled)


@contextlib.contextmanager
@edge
def prepare_debug(
    dump_src_dir: str | os.PathLike[str],
    clean_wild_fx_code: bool = True,
    log_bytecode: bool = False,
    *,
    html: bool = False,
    time: bool = False,
) -> Iterator[Session]:
    """Records what `torch.compile` does in the block, as files to read, to set breakpoints in, and to compare.

    Put it around the calls which compile, not around the decorator. ``README.md`` in the directory says what each file
    is and which to open first. Where the decompiled code is proven to do what Dynamo's does, it runs in its place, and
    breakpoints in ``__transformed_code_*`` files are hit (see `depyf.debug`). Results are those of a run without the
    recording. Inductor's caches are used as ever; of a graph that comes out of one, the files are what the cache keeps,
    and say so.

    Args:
        dump_src_dir: the directory; made if it does not exist.
        clean_wild_fx_code: False to get code which torch.fx generated for its own purposes too: ``fx_graph_code_*``.
        log_bytecode: True to get listings of the bytecode beside each ``__transformed_code_*`` file.
        html: True to get the report as one HTML file too, ``report.html``: see docs/how-to/run.md.
        time: True to time each kernel that Inductor generated or calls, on the CPU, as long as the block lasts.

    Yields:
        The model of what is recorded. Inside another `prepare_debug` it is that one's, which keeps recording into its
        own directory; that of the inner block gets a copy of its files when the inner is left, and again at the end,
        with the pages. Where blocks of threads overlap, one records at a time: when it is left,
        the next records into its own directory, or, where both name the same one, takes the recording over.

    Raises:
        TypeError: the directory is no path.
        ImportError: torch cannot be imported.

    Example:
        >>> @torch.compile(backend="eager")
        ... def double(x):
        ...     return x * 2
        >>> with depyf.prepare_debug("dump") as session:
        ...     _ = double(torch.ones(4))
        >>> print(session)
        double ── graph 1: mul
        >>> os.path.exists("dump/full_code_for_double_0.py")
        True

    Later failures cost single files, are listed in the index, and go to ``logging.getLogger("depyf")``.
    """
    if not isinstance(dump_src_dir, (str, os.PathLike)):
        raise TypeError(f"prepare_debug takes the directory to write to, not {dump_src_dir!r}")
    require_torch("prepare_debug")  # its absence must be an ImportError here, not a missing hook later
    session, undo = Session(), contextlib.ExitStack()
    try:  # a KeyboardInterrupt while we begin leaves no hooks either
        session = done(session, "beginning the recording", _begin, dump_src_dir, clean_wild_fx_code, log_bytecode, html,
                       time, undo, session) or session
        yield session
        note_error_of_program(None)
    except Exception as error:
        note_error_of_program(error)
        raise
    finally:
        try:
            done(session, "handing the recording over", _hand_over, undo)
        finally:  # also after a KeyboardInterrupt
            done(session, "ending the recording", undo.close)
            done(session, "going on with the block of another thread", _go_on)


@edge
def note_error_of_program(error: Any) -> None:
    """The program, or the block that is recorded, ends with an error, or with None."""
    done(Session(), "hearing how the program ends", _hear_error, error)


def _hear_error(error: Any) -> None:
    for recorder in ACTIVE[-1:]:
        if not recorder.is_inherited or calls_of_compile(error):  # a fork that compiles nothing has no recording
            told(recorder, "on_outcome", "program_ends", error)


def _begin(
    dump_src_dir: str | os.PathLike[str],
    clean_wild_fx_code: bool,
    log_bytecode: bool,
    html: bool,
    times: bool,
    undo: contextlib.ExitStack,
    session: Session,
) -> Session:
    """Begins a recording; `undo` gets what ends it. Gives its model, that of the outer one inside another."""
    session.directory = directory = str(os.fspath(dump_src_dir))
    with _CHANGING:
        if ACTIVE and ACTIVE[-1].is_inherited:  # this process was forked inside of its parent's recording
            return _begin_in_fork(ACTIVE[-1], directory, undo)
        block = _DebugBlock(threading.get_ident(), (directory, clean_wild_fx_code, log_bytecode, html, times), undo,
                            session)
        if ACTIVE and _owner and _owner[0].thread != block.thread:
            return _wait(block)
        if ACTIVE:
            outer = ACTIVE[-1].of_this_process()
            logger.warning("prepare_debug inside prepare_debug: everything goes to %s, and a copy of it to %s",
                           outer.dump.path, directory)
            if block.path != outer.dump.path:
                outer.dump.copies.append(block.path)
                undo.callback(done, outer.session, f"copying to {directory}", outer.dump.copy)
            return outer.session
        with contained(session, f"making the directory {directory}", "the whole dump"):
            dump = DumpDirectory(directory)
            undo.callback(done, session, "letting others write", dump.close)
            recorder = Recorder(dump, clean_wild_fx_code, log_bytecode, html)
            recorder.session.failures[:0] = session.failures
            session = recorder.session
            recorder.kernels.timers = KernelTimers(session, undo) if times else None
            _directories.append(dump.path)
            undo.callback(done, session, "writing the dump", _end, recorder, undo)
            ACTIVE.append(recorder)
            _owner[:] = [block]
            with contained(session, "writing an index to begin with"):
                dump.begin()
            atexit.register(_end_at_exit, undo)
            apply_patches(recorder, undo)
            if debuggers.is_attached(session):
                with contained(session, "keeping Dynamo off the debugger's code", "it compiles the debugger too"):
                    undo.callback(done, session, "letting Dynamo at debuggers", pass_over(debuggers.DEBUGGERS))
    return session


def _begin_in_fork(inherited: Recorder, directory: str, undo: contextlib.ExitStack) -> Session:
    recorder = inherited.replace_in_fork(DumpDirectory(directory))
    _directories.append(recorder.dump.path)
    undo.callback(done, recorder.session, "letting others write", recorder.dump.close)
    undo.callback(done, recorder.session, "writing the dump", recorder.finish)
    return recorder.session


def _wait(block: _DebugBlock) -> Session:
    """A thread has entered a block while another's is recorded. Gives the model of that, for as long as it lasts."""
    outer = ACTIVE[-1].of_this_process()
    if block.path != _owner[0].path:
        logger.warning("prepare_debug in two threads: what is compiled until the first ends is in %s, the rest in %s",
                       outer.dump.path, block.path)
    _show(block.session, outer.session)
    block.undo.callback(_stop_waiting, block)
    _waiting.append(block)
    return block.session


def _stop_waiting(block: _DebugBlock) -> None:
    with _CHANGING:
        _waiting[:] = [one for one in _waiting if one.undo is not block.undo]


def _show(session: Session, other: Session) -> None:
    """From now on `session`, which somebody holds, is the model `other`."""
    session.__dict__ = other.__dict__


def _hand_over(undo: contextlib.ExitStack) -> None:
    """A block is left: one of another thread that names the same directory takes its recording over."""
    with _CHANGING:
        alike = [one for one in _waiting if _owner and _owner[0].undo is undo and one.path == _owner[0].path]
        for heir in alike[:1]:
            _stop_waiting(heir)
            heir.undo.push(undo.pop_all())
            _owner[:] = [heir]
            atexit.register(_end_at_exit, heir.undo)


def _go_on() -> None:
    """A recording has ended: that of a block which waits may begin."""
    with _CHANGING:
        while _waiting and not ACTIVE:
            heir = _waiting.pop(0)
            _show(heir.session, Session())
            _show(heir.session, _begin(*heir.arguments, heir.undo, heir.session))
            _owner[:] = [heir] if ACTIVE else []


def _end(recorder: Recorder, undo: contextlib.ExitStack) -> None:
    """The last thing to happen: torch is as it was before, so nothing that we do now is recorded."""
    with _CHANGING:
        if recorder in ACTIVE:
            ACTIVE.remove(recorder)
            _owner.clear()
    atexit.unregister(_end_at_exit)
    if recorder.is_inherited:
        return  # forked in the block, and nothing was compiled since: the dump is the parent's
    recorder = recorder.of_this_process()
    start = time.perf_counter()
    with no_collections():  # a full one visits all that torch has made, and takes as long as the pages
        recorder.finish()
    done(recorder.session, "copying the dump", recorder.dump.copy)
    recorder.session.own_seconds += time.perf_counter() - start
    _compiled.extend(recorder.compiled)
    logger.info("what torch.compile did is described in %s", os.path.join(recorder.dump.path, INDEX))


def _end_at_exit(undo: contextlib.ExitStack) -> None:
    """Nobody left the block: it was entered by hand, or by a thread which never came back."""
    note_error_of_program(getattr(sys, "last_value", None))
    done(Session(), "ending the recording at exit", undo.close)
