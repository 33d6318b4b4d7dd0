"""Where the time of a compilation went, as plain data: a part of the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

__all__ = ["CompileTimes", "lost_words", "seconds_words"]


@dataclass(frozen=True)
class CompileTimes:
    """Where the seconds of one compilation went, by torch's own clocks.

    Attributes:
        function: name of the code object; "" for a backward graph, which is compiled when it is first needed.
        start: when it began, in seconds since the epoch.
        dynamo: tracing and guards; `aot`: AOTAutograd; `backend`: Inductor, or whatever the backend is; `kernels`:
            compiling and loading kernels. None of these contains another.
        guards: one evaluation of its guards; 0 where torch does not measure it (before 2.7).
        in_calls: whether the first calls took it: kernels were tuned, CUDA graphs recorded.
        before_restart: the part of `dynamo` after which tracing began anew; `restarts` are torch's reasons.
        sizes: how many guards it has, and operations and inputs in its graph, as torch counts them.
        custom: the operators in it that are not torch's own.
        caches: what torch's caches had of it: ``Inductor's cache: miss``.
    """

    compile_id: str
    function: str = ""
    start: float = 0.0
    dynamo: float = 0.0
    aot: float = 0.0
    backend: float = 0.0
    kernels: float = 0.0
    guards: float = 0.0
    in_calls: bool = False
    before_restart: float = 0.0
    restarts: tuple[str, ...] = ()
    sizes: tuple[tuple[str, int], ...] = ()
    custom: tuple[str, ...] = ()
    caches: tuple[str, ...] = ()

    @property
    def total(self) -> float:
        """All of it."""
        return self.dynamo + self.aot + self.backend + self.kernels


def lost_words(seconds: float, reasons: Sequence[str]) -> str:
    """``0.4 s of it before tracing began anew: call of a disabled function``, "" where it did not."""
    if not reasons:
        return ""
    return "{} of it before tracing began anew: {}".format(seconds_words(seconds), "; ".join(dict.fromkeys(reasons)))


def seconds_words(seconds: float) -> str:
    """``1.3 s`` or ``21 ms``."""
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms"
