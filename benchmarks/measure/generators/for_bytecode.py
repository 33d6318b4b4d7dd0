"""bytecode: modules of the standard library, taken apart into blocks and put together again, some with instructions in between."""

from __future__ import annotations

import ast
from pathlib import Path

from bytecode import Bytecode, ConcreteBytecode, ControlFlowGraph, Instr

NAMES = ("ast", "dataclasses", "functools", "contextlib", "asyncio/locks", "bisect", "tempfile")


def generate(folder):
    codes = []
    for name in NAMES:
        path = Path(ast.__file__).with_name("x").parent / f"{name}.py"
        code = compile(path.read_bytes(), path.name, "exec", dont_inherit=True)
        for again in (concrete, abstract, blocks, padded):
            try:
                codes.append(nested(code, again))
            except Exception as error:
                print(name, again.__name__, type(error).__name__, str(error)[:200])
    return codes


def nested(code, again):
    consts = tuple(nested(one, again) if isinstance(one, type(code)) else one for one in code.co_consts)
    return again(code.replace(co_consts=consts))


def concrete(code):
    return ConcreteBytecode.from_code(code).to_code()


def abstract(code):
    return Bytecode.from_code(code).to_code()


def blocks(code):
    return ControlFlowGraph.from_bytecode(Bytecode.from_code(code)).to_code()


def padded(code):
    made = Bytecode.from_code(code)
    places = [at for at, one in enumerate(made) if isinstance(one, Instr) and one.has_jump()]
    for at in reversed(places):
        made.insert(at, Instr("NOP", location=made[at].location) if hasattr(made[at], "location") else Instr("NOP"))
    return made.to_code()
