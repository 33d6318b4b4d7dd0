"""Nothing of ours ever crosses into torch or the user's program: one place where our failures end.

Whatever fails costs the artifact it was making. The reason goes into the model (the dump's index shows it) and,
as one line, to the logger ``depyf``. KeyboardInterrupt and SystemExit are not failures and pass.
"""

from __future__ import annotations

import contextlib
import logging
from typing import Iterator

from depyf.explain.model import Failure, Session
from depyf.explain.names import stable, without_addresses

__all__ = ["contained", "logger", "note_failure"]

logger = logging.getLogger("depyf")

_LONGEST_REASON = 300


@contextlib.contextmanager
def contained(session: Session, what: str, costs: str = "") -> Iterator[None]:
    """Runs a block; an exception in it becomes a `Failure` of the session and one log line.

    Args:
        session: where the failure is recorded.
        what: what the block was doing, for readers ("decompiling toy_example").
        costs: what the user does without because of it ("no graph files").
    """
    try:
        yield
    except Exception as error:
        note_failure(session, what, "{}: {}".format(type(error).__name__, error), costs)
        logger.debug("%s", what, exc_info=True)


def note_failure(session: Session, what: str, reason: str, costs: str = "") -> None:
    """Records that something could not be made. Repeated failures are recorded once. Never raises."""
    try:
        reason = without_addresses(stable(" ".join(str(reason).split())))[:_LONGEST_REASON]
        failure = Failure(stable(what), reason, costs)
        if failure not in session.failures:
            session.failures.append(failure)
            logger.warning("%s failed: %s", failure.what, failure.reason)
    except Exception:  # the last line of defence: an exception whose str() raises, a logging handler that does
        logger.debug("a failure could not be recorded", exc_info=True)
