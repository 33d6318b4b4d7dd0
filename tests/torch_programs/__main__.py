"""Lists the programs, or runs some, one after the other in this process.

    python tests/torch_programs --list
    python tests/torch_programs [--backend BACKEND] [--dump FOLDER] PROGRAM ...

Prints a line of JSON for each program that is run: its result or exception, the number of graphs, what this torch lacks
for it; with ``--dump``, which records each into a folder of its own, also the number of compilations, how many of them
run decompiled code, and what failed. A script is run by the interpreter itself, of course.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import json
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

import torch_programs  # noqa: E402


def listed():
    """Each name with its sentence. The functions' names come with a backend where the matrix runs several."""
    rows = [(name, one.says) for name, one in torch_programs.load().items()]
    for name, path in torch_programs.SCRIPTS.items():
        says = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        rows.append(("scripts/{}.py".format(name), says.splitlines()[0]))
    return ["{:36} {}".format(*row) for row in rows]


def report(program, backend, folder):
    """What one program does here."""
    import torch

    from torch_programs.observe import exception, plain
    from torch_programs.suite import CALLS, lacking, running

    found = {"program": program.run.__name__, "lacks": lacking(program)}
    if found["lacks"]:
        return found
    running.backend = backend
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    torch.manual_seed(0)
    with recording(folder and str(Path(folder, found["program"]))) as model:
        try:
            found["result"] = plain(program.run())
        except Exception as error:
            found["exception"] = exception(error)
    CALLS.clear()
    found["graphs"] = torch._dynamo.utils.counters["stats"].get("unique_graphs", 0)
    if model is not None:
        entries = [entry for frame in model.frames for entry in frame.entries]
        found.update(
            compilations=len(entries),
            ours=sum(entry.runs_decompiled for entry in entries),
            failures=[[failure.what, failure.reason] for failure in model.failures],
        )
    return found


def recording(folder):
    """`prepare_debug`, or nothing where there is no folder; depyf is imported only then."""
    if not folder:
        return contextlib.nullcontext()
    import depyf

    return depyf.prepare_debug(folder)


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    parser.add_argument("--list", action="store_true", help="print the name of each program and what it is")
    parser.add_argument("--backend", default="eager", help="for all of them, whatever the matrix runs them on")
    parser.add_argument("--dump", default="", help="record each into a folder of its name in this one")
    options = parser.parse_args()
    if options.list:
        print("\n".join(listed()))
        return
    by_name = {one.run.__name__: one for one in torch_programs.load().values()}
    for name in options.programs:
        print(json.dumps(report(by_name[name], options.backend, options.dump)), flush=True)


if __name__ == "__main__":
    main()
