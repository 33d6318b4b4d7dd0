"""Where the time of a compilation went, as plain data: a part of the model."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CompileTimes"]


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
        before_restart: the part of `dynamo` after which tracing began anew; `restarts` are the reasons.
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

    @property
    def total(self) -> float:
        """All of it."""
        return self.dynamo + self.aot + self.backend + self.kernels
