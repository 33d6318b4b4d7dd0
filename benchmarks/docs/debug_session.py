"""A session of debugpy as an editor holds it, over its socket, on the example of docs/debuggers.md.

    python benchmarks/docs/debug_session.py              prints it
    python benchmarks/docs/debug_session.py --write      puts it into the page, between the marks <!-- debug session -->
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, List

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "benchmarks" / "lib")]

from debug_adapter_client import DebugSession, Stop  # type: ignore[import-not-found]  # noqa: E402

from marked_page import put  # noqa: E402

PAGE = ROOT / "benchmarks" / "results" / "debug-session.md"
PROGRAM = re.compile(r":caption: toy\.py\n\n(.*?)```", re.DOTALL)
TRANSFORMED = "dump/__transformed_code_0_for_toy_example.py"


class Told:
    """A session which is written down as it goes."""

    def __init__(self, session: DebugSession, folder: Path) -> None:
        self.session, self.folder = session, folder
        self.lines: List[str] = []

    def start(self, *places: str) -> None:
        """Sets breakpoints (``file:line``) and lets the program run."""
        breakpoints = {str(self.folder / file): [int(line)] for file, line in (one.split(":") for one in places)}
        self.lines += ["-> initialize, attach"]
        taken = self.session.start(breakpoints)
        for place, verified in zip(places, taken.values()):
            self.lines.append("-> setBreakpoints {:<52} <- verified: {}".format(place, str(verified).lower()))
        self.lines.append("-> configurationDone")

    def stopped(self, stop: Stop, *names: str) -> Stop:
        """Writes down a stop: its place, the stack of the program, and variables of its innermost frame."""
        frames = [(frame, self.name(frame)) for frame in stop.frames]
        self.lines.append("<- stopped: {}".format(stop.reason))
        self.lines.append("-> stackTrace")
        self.lines += ["<-   {} ({}:{})".format(frame["name"], file, frame["line"]) for frame, file in frames if file]
        self.lines.append("-> scopes, variables")
        found = self.session.variables(stop)
        self.lines += ["<-   {} = {}".format(name, found[name]) for name in names]
        return stop

    def name(self, frame: Any) -> str:
        """The file of a frame if it is the example's, else nothing."""
        path = Path(frame["source"]["path"])
        return str(path.relative_to(self.folder)) if self.folder in path.parents else ""

    def says(self, request: str) -> None:
        """Writes down a request."""
        self.lines.append("-> " + request)


def session_of(folder: Path) -> List[str]:
    """The lines of one session on ``toy.py`` in `folder`, recorded once before."""
    command = [str(folder / "toy.py")]
    subprocess.run([sys.executable, *command], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    with DebugSession.of_program(command, folder=str(folder)) as session:
        told = Told(session, folder)
        told.start("toy.py:8", TRANSFORMED + ":9")
        stop = told.stopped(session.wait_for_stop(), "a", "b")
        told.says("next")
        stop = told.stopped(session.next(stop), "a", "b", "x")
        told.says("setBreakpoints toy.py: none, for the next run")
        session.set_breakpoints(str(folder / "toy.py"), [])
        told.says("continue")
        session.resume(stop)
        session.wait_for_end()
    with DebugSession.of_program(command, folder=str(folder)) as session:
        told.session = session
        told.lines.append("")
        told.start(TRANSFORMED + ":9")
        stop = told.stopped(session.wait_for_stop(), "a", "b")
        told.says("stepIn")
        stop = told.stopped(session.step_in(stop), "L_a_", "L_b_")
        told.says("stepOut, next")
        stop = told.stopped(session.next(session.step_out(stop)), "graph_out")
        told.says("continue")
        session.set_breakpoints(str(folder / TRANSFORMED), [])
        session.resume(stop)
        session.wait_for_end()
    return told.lines


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put the session into results/debug-session.md")
    options = parser.parse_args()
    text = PAGE.read_text(encoding="utf-8")
    program = PROGRAM.search(text)
    assert program is not None, "the page has no toy.py"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        (folder / "toy.py").write_text(program.group(1), encoding="utf-8")
        lines = "\n".join(session_of(folder))
    print(lines)
    if options.write:
        put(PAGE, "debug session", "\n```text\n{}\n```\n\n".format(lines))


if __name__ == "__main__":
    main()
