"""Why there is nothing to show for a function: what torch knows about its compilations, in a sentence."""

from __future__ import annotations

import types
from typing import Any, Sequence

from ..names import stable, without_addresses
from ..torch_facts import torch_behavior, torch_keeps
from .compiled_functions import is_disabled

__all__ = ["why_nothing", "why_uncompiled"]


def why_nothing(thing: Any, functions: Sequence[types.FunctionType]) -> str:
    """What to say about `thing`, which leads to `functions`, none of them compiled."""
    first = functions[0]
    name = first.__qualname__.replace("<locals>.", "")
    head = f"nothing is compiled for {name}: "
    if torch_keeps.is_switched_off():
        return head + "torch.compile is switched off (torch._dynamo.config.disable, TORCHDYNAMO_DISABLE)"
    if torch_keeps.forces_eager():
        return head + 'torch.compiler.set_stance("force_eager") is in force'
    if is_disabled(thing) or any(is_disabled(one) for one in functions):
        return head + "torch.compiler.disable is on it, so Dynamo leaves it to Python"
    loaded = sum(torch_behavior.loaded_from_packages(function.__code__) for function in functions)
    if loaded:
        return head + (
            "it runs {} that came from a package (torch._dynamo.package), whose code torch does not give. Compile it "
            "under depyf.prepare_debug where the package is made".format(
                "a compilation" if loaded == 1 else f"{loaded} compilations"
            )
        )
    records = [record for function in functions for record in torch_keeps.compilations_of(function.__code__)]
    if records:
        record = records[-1]
        if record.failure:
            return head + "Dynamo gave it up: " + without_addresses(stable(record.failure))
        if record.has_guards:
            return head + (
                f"it was compiled (as {record.compile_id}), and the result is gone: torch._dynamo.reset() drops all of "
                "them, and Dynamo drops one when an object that its guards look at is gone. Call it again"
            )
        return head + (
            "Dynamo looked at it and left it to Python. Either there is no tensor operation in it, or its graph breaks "
            "where it can't resume, as inside a loop (TORCH_LOGS=graph_breaks says)"
        )
    if torch_keeps.keeps_compilations():
        return head + (
            "call what torch.compile returned for it once, then ask again, about what it returned. It "
            "was not called so far, or Dynamo does not look at it (code in torch's own files, generators)"
        )
    return head + (
        "call what torch.compile returned for it once, then ask again. If it was called, Dynamo left the frame alone "
        "(TORCH_LOGS=graph_breaks says why) or torch._dynamo.reset() dropped its cache"
    )


def why_uncompiled(code: types.CodeType | None) -> str:
    """What torch knows about a resume function that has no compilation. It keeps which codes Dynamo has looked at."""
    if code is None:
        return "torch does not tell its code"
    if not any(code is one for one in torch_keeps.compiled_codes()):
        return "Dynamo has seen no call of it"
    records = torch_keeps.compilations_of(code)
    if records and records[-1].failure:
        return "Dynamo gave it up: " + without_addresses(stable(records[-1].failure))
    return "Dynamo looked at it and left it to Python"
