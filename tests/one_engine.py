"""The room of unstructured code by itself: no other way is tried for the code, only for functions in it."""

from __future__ import annotations

import types
from typing import Any, Callable, NamedTuple

from depyf.decompiler.bytecode import RawCode, load
from depyf.decompiler.bytecode.kinds import is_comprehension
from depyf.decompiler.driver.decompilation import Decompilation
from depyf.decompiler.names.dynamo import DYNAMO_HINTS
from depyf.decompiler.names.respelling import respell
from depyf.decompiler.proof import Level, Verdict, prove_all
from depyf.decompiler.proof.symbolic.prove import prove_symbolic
from depyf.decompiler.recompile import recompile
from depyf.decompiler.stack_machine.machine import Definition
from depyf.decompiler.syntax import nodes as n
from depyf.decompiler.unstructured import DecompiledCode, decompile_unstructured
from depyf.errors import DecompilationError


class Proven(NamedTuple):
    """The text of a code object, the code recompiled from it, and how the two compare."""

    result: DecompiledCode
    code: types.CodeType
    verdict: Verdict

    @property
    def text(self) -> str:
        return self.result.text


def definition_of(raw: RawCode) -> Definition:
    """A function that is made: a compiler made its code, so the structured way comes first."""
    result = Decompilation(raw).run()
    tree = None if result.form == "refused" else result.tree
    if isinstance(tree, n.FunctionDef) and not tree.decorator_list:
        return tree
    if isinstance(tree, n.Expr):
        arguments: Any = tree.value.args if isinstance(tree.value, n.Lambda) else n.arguments()
        return n.FunctionDef("nested", arguments, [n.Return(getattr(tree.value, "body", tree.value))])
    return decompile_unstructured(raw, definition_of, carries=True, naming=DYNAMO_HINTS).tree


def analyze(code: types.CodeType) -> Proven:
    """``code`` decompiled with states carried from block to block, recompiled, and compared with what was recompiled.

    Raises DecompilationError if there is no text for it, or the text does not compile.
    """
    raw = load(code)
    result = decompile_unstructured(respell(raw).raw, definition_of, carries=True, naming=DYNAMO_HINTS)
    again = recompile(result.text, code, "<depyf>")
    proofs = prove_all(raw, load(again), symbolic=prove_symbolic)
    verdict = proofs[raw][0]
    for nested, (other, _) in proofs.items():
        if nested is not raw and not other.proven:
            reason = f"{nested.qualname}: {other.describe()}"
            verdict = Verdict(Level.UNPROVEN, "", (*verdict.reasons, reason))
    return Proven(result, again, verdict)


def dispatched(raw: RawCode) -> DecompiledCode:
    """``raw``, each block by itself."""

    def nested(inner: RawCode) -> Definition:
        try:
            return definition_of(inner)
        except DecompilationError:
            if is_comprehension(inner):
                raise
            return decompile_unstructured(inner, nested, carries=False, naming=DYNAMO_HINTS).tree

    return decompile_unstructured(raw, nested, carries=False, naming=DYNAMO_HINTS)


def again(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function made of the decompiled, recompiled and proven code."""
    result = analyze(function.__code__)
    assert result.verdict.proven, (result.text, result.verdict.describe())
    assert result.code is not None
    return types.FunctionType(result.code, function.__globals__, "f", function.__defaults__, function.__closure__)
