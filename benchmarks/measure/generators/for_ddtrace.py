"""ddtrace: functions that its wrappers, contexts and hooks have put bytecode into."""

from __future__ import annotations

import sys
import types
from pathlib import Path

PROGRAM = Path(__file__).parent / "programs" / "ordinary.py"


def generate(folder):
    from ddtrace.internal.wrapping import wrap
    from ddtrace.internal.wrapping.context import WrappingContext

    sys.path[:0] = [folder]
    Path(folder, "ordinary.py").write_text(PROGRAM.read_text())
    codes = []
    for change in (lambda f: wrap(f, lambda f, args, kwargs: f(*args, **kwargs)), lambda f: WrappingContext(f).wrap(), inject):
        sys.modules.pop("ordinary", None)
        import ordinary

        holders = [vars(ordinary), vars(ordinary.Shape), vars(ordinary.Special)]
        for function in [one for holder in holders for one in list(holder.values()) if isinstance(one, types.FunctionType)]:
            try:
                change(function)
            except Exception as error:
                print(function.__name__, type(error).__name__, error)
            codes.append(function.__code__)
    return codes


def inject(function):
    from ddtrace.internal.bytecode_injection import inject_hook

    for line in sorted(lines_of(function.__code__)):
        try:
            inject_hook(function, print, line, line)
        except Exception as error:
            print(line, type(error).__name__, error)


def lines_of(code):
    import dis

    return {line for _, line in dis.findlinestarts(code) if line and line > code.co_firstlineno}
