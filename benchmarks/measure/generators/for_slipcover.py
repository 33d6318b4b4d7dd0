"""slipcover: code with its probes, in bytecode up to 3.11 and in the syntax tree for branches."""

from __future__ import annotations

import ast
from pathlib import Path

PROGRAM = Path(__file__).parent / "programs" / "ordinary.py"


def generate(folder):
    import slipcover
    from slipcover import branch

    codes = []
    for source in (PROGRAM.read_text(), Path(ast.__file__).read_text()):
        tree = branch.preinstrument(ast.parse(source))
        for branches in (False, True):
            code = compile(tree if branches else source, "ordinary.py", "exec", dont_inherit=True)
            codes.append(slipcover.Slipcover(branch=branches).instrument(code))
    return codes
