"""Nothing of ours ever crosses into torch or the user's program: one place where our failures end.

Whatever fails costs the artifact it was making. The reason goes into the model (the dump's index shows it) and,
as one line, to the logger ``depyf``. KeyboardInterrupt and SystemExit are not failures and pass.

There are two lines. `contained` is put around each artifact. `told` and `done` are used where torch or the user calls
us, and let nothing through whatever is wrong, `contained` included: such functions are marked `edge`.
"""

from __future__ import annotations

import logging
import time
from types import CodeType
from typing import Any, Callable, TypeVar

from .model import Failure, Session
from .names import stable, without_addresses
from .torch_facts.torch_behavior import with_dynamo_off

__all__ = ["EDGES", "contained", "done", "edge", "in_words", "logger", "note_failure", "told"]

logger = logging.getLogger("depyf")

EDGES: dict[CodeType, None] = {}  # code of the functions marked `edge`, in order: Dynamo is told to leave it alone
_LONGEST_REASON = 300
_Function = TypeVar("_Function", bound=Callable[..., Any])


def edge(function: _Function) -> _Function:
    """Marks a function which torch or the user calls, and from which nothing of ours may come.

    Such a function consists of calls of torch's own functions and of `try: ... except Exception`, or of calls of
    other edges: there is nothing in it that can fail by itself. `benchmarks/attack/planted_faults.py` plants faults
    everywhere but in their own statements.
    """
    EDGES[function.__code__] = None
    return function


class contained:
    """Runs a block; an exception in it becomes a `Failure` of the session and one log line.

    Args:
        session: where the failure is recorded.
        what: what the block was doing, for readers ("decompiling toy_example").
        costs: what the user does without because of it ("no graph files").
    """

    @edge
    def __init__(self, session: Session, what: str, costs: str = "") -> None:
        self._session, self._what, self._costs = session, what, costs

    @edge
    def __enter__(self) -> None:
        return None

    @edge
    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> bool:
        if not isinstance(error, Exception):
            return False
        note_exception(self._session, self._what, error, self._costs)
        return True


@edge
def told(recorder: Any, event: str, *args: Any) -> Any:
    """Tells a recorder what happened in torch: `recorder.event(*args)`; None when it has ended, is None, or fails."""
    if recorder is None:
        return None
    try:
        return with_dynamo_off(_tell, recorder, event, args)
    except Exception as error:
        note_exception(recorder.session, "recording what torch does", error, "one artifact")
        return None


def _tell(recorder: Any, event: str, args: Any) -> Any:
    recorder = recorder.of_this_process()
    start = time.perf_counter()
    try:
        return None if recorder.ended else getattr(recorder, event)(*args)
    finally:
        recorder.session.own_seconds += time.perf_counter() - start


EDGES[with_dynamo_off.__code__] = None  # where Dynamo is still on


@edge
def done(session: Session, what: str, function: Callable[..., Any], *args: Any) -> Any:
    """`function(*args)`, None when that fails: for what has to be done when a recording begins and ends."""
    try:
        return function(*args)
    except Exception as error:
        note_exception(session, what, error)
        return None


@edge
def note_exception(session: Session, what: str, error: Exception, costs: str = "") -> None:
    """Records an exception of ours. Never raises: not for one whose `str` fails, nor at the end of the stack."""
    try:
        note_failure(session, what, in_words(error), costs)
        logger.debug("%s", what, exc_info=error)
    except Exception:
        return


def in_words(error: Exception) -> str:
    """The exception's type and text."""
    try:
        text = str(error)
    except Exception:  # an exception whose own __str__ fails
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


@edge
def note_failure(session: Session, what: str, reason: str, costs: str = "") -> None:
    """Records that something could not be made. Repeated failures are recorded once. Never raises."""
    try:
        _note(session, what, without_addresses(stable(reason)), costs)
    except Exception:
        try:
            _note(session, what, reason, costs)
        except Exception:
            return


def _note(session: Session, what: str, reason: str, costs: str) -> None:
    failure = Failure(what, " ".join(reason.split())[:_LONGEST_REASON], costs)
    if failure not in session.failures:
        session.failures.append(failure)
        logger.warning("%s failed: %s", failure.what, failure.reason)
