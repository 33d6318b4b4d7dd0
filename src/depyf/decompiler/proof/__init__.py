"""proof/: shows that recompiled source means the same as the original bytecode.

Takes two RawCode; gives a Verdict. IDENTICAL: the same fields (``identical.py``), checked before any instruction is
read. EXACT: the same normal form (``lockstep/normalize.py``: no NOPs, lines, dead code, empty slots of calls).
EQUIVALENT: shown to do the same step by step (``lockstep/``) or symbolically (``symbolic/``). Everything else is
UNPROVEN. Outside of every proof, by axiom, are memory errors and signals, the time of ``__del__``, tracing and
profiling, and line numbers. Any other assumption of a proof is in ``Verdict.assumptions``.

    compile_module(source, like=None, *, filename, optimize) -> RawCode      source of a whole module, compiled
    compile_unit(source, raw, *, enclosing_class=None, name=None, ...) -> RawCode
                                 the one function, class body, lambda or comprehension in source, compiled with the
                                 free variables, class, future flags and nesting that raw had
    prove(original, recompiled, *, symbolic=None, names=True) -> Verdict     one code object, nested code is opaque
    prove_all(original, recompiled, ...) -> dict[RawCode, (Verdict, RawCode | None)]
                                 the same for every code object nested in original, by identity
    verify(a, b) -> Verdict      two functions or code objects, with everything nested in them (public)

``symbolic`` is ``prove_symbolic`` of ``symbolic/prove.py`` to compare code that no compiler made, or source of another
shape. ``Verdict.pairs`` are the corresponding pairs of nested code objects; ``Verdict.difference`` is the first
difference, with the instruction of each side, its offset and line.
Imports ``limits/`` and ``bytecode/``.
"""

from __future__ import annotations

from .compiler_pool import NoInterpreter
from .prove import prove, prove_all
from .scaffold import compile_module, compile_unit
from .verdict import Difference, Level, Verdict
from .verification import verify

__all__ = [
    "Difference",
    "Level",
    "NoInterpreter",
    "Verdict",
    "compile_module",
    "compile_unit",
    "prove",
    "prove_all",
    "verify",
]
