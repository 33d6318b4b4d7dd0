"""Plants a fault before every statement of `depyf.explain`, one at a time, and looks whether a program notices.

    planted_faults.py [--program NAME ...] [--backend eager ...] [--kind RuntimeError ...] [--functions] [--sample N]

The sites are found, not listed: each module of `depyf.explain` is imported with a probe before each statement of each
function. Functions marked `@containment.edge` are left out, as they are what keeps faults from torch (a test of their
shape is `tests/explain/test_planted_faults.py`). A program (of `tests/torch_programs`) is run alone, then
recorded to see which sites it reaches, then once per site with the fault there, in forked processes.

Everything has to be as it is without depyf: result, exception, number of compilations and graphs, exit status,
what we hook in torch; KeyboardInterrupt has to arrive. The log must have one line about it, the index the reason.
Prints one line per program and kind, and each failure. Exit status 1 if there is one.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import logging
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from types import CodeType
from typing import Any, Callable, Collection, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "depyf.explain"
KINDS: Dict[str, type] = {
    kind.__name__: kind for kind in (RuntimeError, RecursionError, MemoryError, OSError, AssertionError,
                                     StopIteration, KeyboardInterrupt, SystemExit)
}
DEFAULT_PROGRAMS = (
    "closure", "recompile", "exception_of_the_user", "lists_and_dicts_changed", "training_steps", "threads",
)
LONGEST = 180.0
# Log lines about a fault in what makes the folder or the index, or in what comes behind it: no index can name it.
WRITES_THE_INDEX = ("beginning the recording", "making the directory", "write report", "writing the dump",
                    "letting others write", "going on with the block of another thread")


# ---- planting


class Sites:
    """Every place where a fault can be planted, by number; which were passed; which one is planted."""

    def __init__(self) -> None:
        self.names: List[str] = []
        self.first: Set[int] = set()  # those at the beginning of a function
        self.passed: Set[int] = set()
        self.planted = -1
        self.kind: type = RuntimeError
        self.fired = 0

    def probe(self, site: int) -> None:
        """What stands before each statement."""
        if site == self.planted:
            self.fired += 1
            raise self.kind("planted")
        self.passed.add(site)


class Planter(ast.NodeTransformer):
    """Puts a probe before each statement of each function, and one at its end; functions marked `edge` stay."""

    def __init__(self, module: str, sites: Sites) -> None:
        self.where, self.sites = [module], sites

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        self.where.append(node.name)
        self.generic_visit(node)
        self.where.pop()
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        self.where.append(node.name)
        if is_edge(node):
            self.generic_visit(node)  # functions inside it, if any
        else:
            self.sites.first.add(len(self.sites.names))
            documented = ast.get_docstring(node, clean=False) is not None
            body = self._with_probes(node.body[documented:])
            if not isinstance(node.body[-1], (ast.Return, ast.Raise)):
                body.append(self._probe(node.body[-1]))
            node.body = node.body[:documented] + body
        self.where.pop()
        return node

    def _with_probes(self, body: Sequence[ast.stmt]) -> List[ast.stmt]:
        found: List[ast.stmt] = []
        for statement in body:
            if not isinstance(statement, (ast.Global, ast.Nonlocal)):
                found.append(self._probe(statement))
            if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                found.append(self.visit(statement))
                continue
            for name in ("body", "orelse", "finalbody"):
                inner = getattr(statement, name, None)
                if inner:
                    setattr(statement, name, self._with_probes(inner))
            for handler in getattr(statement, "handlers", []):
                handler.body = self._with_probes(handler.body)
            found.append(statement)
        return found

    def _probe(self, before: ast.stmt) -> ast.stmt:
        name = "{} line {}".format(".".join(self.where)[len("depyf.") :], before.lineno)
        self.sites.names.append(name)
        call = ast.parse("__planted__({})".format(len(self.sites.names) - 1)).body[0]
        for node in ast.walk(call):
            if "lineno" in node._attributes:
                ast.copy_location(node, before)
        return call


def is_edge(node: ast.FunctionDef) -> bool:
    """Whether a function is marked `@edge`."""
    return any(isinstance(one, ast.Name) and one.id == "edge" for one in node.decorator_list)


class _Loader(importlib.machinery.SourceFileLoader):
    sites: Sites

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        tree = ast.parse(Path(path).read_text(encoding="utf-8"), path)
        planted = ast.fix_missing_locations(Planter(fullname, self.sites).visit(tree))
        return compile(planted, path, "exec", dont_inherit=True)


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, sites: Sites) -> None:
        self.sites = sites

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        if fullname != PACKAGE and not fullname.startswith(PACKAGE + "."):
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            loader = _Loader(spec.loader.name, spec.loader.path)
            loader.sites = self.sites
            spec.loader = loader
        return spec


def plant_everywhere(sites: Sites) -> None:
    """Imports every module of `depyf.explain` with probes in it."""
    for name in [name for name in sys.modules if name == PACKAGE or name.startswith(PACKAGE + ".")]:
        del sys.modules[name]
    builtins.__planted__ = sites.probe  # type: ignore[attr-defined]
    sys.meta_path.insert(0, _Finder(sites))
    home = Path(str(importlib.import_module("depyf").__file__)).parent / "explain"
    for path in sorted(home.rglob("*.py")):
        parts = path.relative_to(home.parent).with_suffix("").parts
        importlib.import_module(".".join(("depyf", *parts)).replace(".__init__", ""))


# ---- running one program in a process of its own


def state_of_torch() -> Dict[str, Any]:
    """What we hook or change, by identity or value."""
    found: Dict[str, Any] = {}
    homes = [sys.modules[name] for name in ("torch.fx._utils", "torch._dynamo.utils") if name in sys.modules]
    formatter = next(vars(home)["lazy_format_graph_code"] for home in homes if "lazy_format_graph_code" in vars(home))
    found["formatter"] = id(formatter.__code__)
    found["hooks"] = list(sys.modules["torch._dynamo.convert_frame"]._bytecode_hooks)
    for module, name in (("", "reset"), (".eval_frame", "remove_from_cache")):
        found[name] = id(getattr(sys.modules["torch._dynamo" + module], name))
    found["generated"] = id(sys.modules["torch.fx.graph_module"]._exec_with_source)
    cache = sys.modules.get("torch._inductor.codecache")
    found["loader"] = id(vars(cache.PyCodeCache)["load_by_key_path"]) if cache else None
    for module, setting in (
        ("torch._inductor.config", "fx_graph_cache"), ("torch._functorch.config", "enable_autograd_cache"),
    ):
        config = sys.modules.get(module)
        found[setting] = repr(getattr(config, setting, None))
        entry = (getattr(config, "_config", None) or {}).get(setting)
        override: Any = getattr(entry, "user_override", None)
        found[setting + " set by user"] = repr(override.get() if hasattr(override, "get") else override)
    found["trace"] = (sys.gettrace(), sys.getprofile())
    return found


class _Lines(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: List[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def report(programs: Programs, name: str, directory: Optional[str], sites: Sites) -> Dict[str, Any]:
    """Runs one program and says what came of it; to be called in a process which does nothing else."""
    import torch

    torch._dynamo.reset()
    counters = torch._dynamo.utils.counters
    counters.clear()
    torch.manual_seed(0)
    log = _Lines()
    logging.getLogger("depyf").addHandler(log)
    logging.getLogger("depyf").propagate = False
    found: Dict[str, Any] = {}
    before = state_of_torch()
    try:
        if directory is None:
            found["result"] = programs.plain(programs.functions[name]())
        else:
            depyf = importlib.import_module("depyf")
            with depyf.prepare_debug(directory):
                found["result"] = programs.plain(programs.functions[name]())
    except BaseException as error:
        found["exception"] = [type(error).__name__, str(error)]
    found["counts"] = {kind: dict(counters[kind]) for kind in ("stats", "frames")}
    found["changed"] = {} if state_of_torch()["formatter"] == before["formatter"] else {"formatter": True}
    for key, value in state_of_torch().items():
        if value != before[key] and not (key == "loader" and before[key] is None):
            found["changed"][key] = [repr(before[key]), repr(value)]
    found["log"] = log.lines
    logging.getLogger("depyf").removeHandler(log)
    found["passed"], found["fired"] = sorted(sites.passed), sites.fired
    sites.passed, sites.fired = set(), 0
    return found


def in_a_process(
    programs: Programs, name: str, directories: Sequence[Optional[str]], sites: Sites, planted: Sequence[int],
    scratch: str,
) -> List[Dict[str, Any]]:
    """`report`, once per directory with a fault at the site of the same place, in one forked process.

    Each has the process's exit status and what it wrote to standard error; fewer reports than directories are a
    process which died.
    """
    errors, answer = os.path.join(scratch, "stderr"), os.path.join(scratch, "answer")
    open(answer, "w").close()
    process = os.fork()
    if process == 0:
        stderr = os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(stderr, 2)
        found: Dict[str, Any] = {}
        for directory, site in zip(directories, planted):
            sites.planted = site
            os.ftruncate(stderr, 0)
            found = report(programs, name, directory, sites)
            sys.stderr.flush()
            with open(errors, encoding="utf-8", errors="replace") as file:
                found["stderr"] = file.read()[-1000:]
            with open(answer, "a") as file:
                file.write(json.dumps(found) + "\n")
        raise SystemExit(3 if "exception" in found else 0)
    began = time.monotonic()
    while True:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            break
        if time.monotonic() - began > LONGEST * len(planted):
            os.kill(process, signal.SIGKILL)
            status = os.waitpid(process, 0)[1]
            break
        time.sleep(0.01)
    with open(answer) as file:
        reports = [json.loads(line) for line in file]
    for each in reports:
        each["status"] = status
    return reports


# ---- judging


def complaints(alone: Dict[str, Any], planted: Dict[str, Any], directory: str, kind: str) -> List[str]:
    """What a user could have noticed, or a reader of the dump could not have."""
    found: List[str] = []
    passes = not issubclass(KINDS[kind], Exception)
    if passes and planted.get("exception", [""])[0] != kind:
        found.append("{} did not arrive: {}".format(kind, planted.get("exception")))
    for what in () if passes else ("result", "exception", "counts", "status"):
        if planted.get(what) != alone.get(what):
            found.append("{}: {} instead of {}".format(what, _short(planted.get(what)), _short(alone.get(what))))
    if planted.get("changed"):
        found.append("torch is left changed: {}".format(planted["changed"]))
    if "planted" in planted["stderr"] and not passes:
        found.append("on standard error: {}".format(_short(planted["stderr"][-300:])))
    log = planted.get("log", [])
    if any("\n" in line for line in log):
        found.append("a log line of several lines: {}".format(_short(log)))
    if not passes:
        said = [line for line in log if "planted" in line or kind in line]
        if not said:
            found.append("nothing in the log")
        index = os.path.join(directory, "README.md")
        text = Path(index).read_text(encoding="utf-8") if os.path.exists(index) else ""
        about_index = any(words in line for line in said for words in WRITES_THE_INDEX)
        if "planted" not in text and kind not in text and not about_index:
            found.append("the index does not say why")
    for path in Path(directory).rglob("*") if os.path.isdir(directory) else ():
        if path.name.endswith(".part"):
            found.append("left behind: {}".format(path.name))
        if path.suffix == ".py":
            try:
                compile(path.read_text(encoding="utf-8"), path.name, "exec", dont_inherit=True)
            except SyntaxError as error:
                found.append("no valid Python: {} ({})".format(path.name, error))
    return found


def _short(thing: Any) -> str:
    text = repr(thing)
    return text if len(text) < 200 else text[:200] + "..."


# ---- the command


class Programs(NamedTuple):
    """What runs: functions by name, and how their results become plain data."""

    functions: Dict[str, Callable[[], Any]]
    plain: Callable[[Any], Any]


def load_programs(backend: str) -> Programs:
    """The programs of tests/torch_programs, all on one backend."""
    if str(ROOT / "tests") not in sys.path:
        sys.path.append(str(ROOT / "tests"))
    suite = importlib.import_module("torch_programs").load()
    importlib.import_module("torch_programs.suite").running.backend = backend
    plain = importlib.import_module("torch_programs.observe").plain
    return Programs({one.run.__name__: one.run for one in suite.values()}, plain)


def warm_up(backends: Sequence[str]) -> None:
    """Imports what every process needs, so that each begins where this one is."""
    import torch
    import torch._dynamo.convert_frame

    for module in ("depyf.decompiler.pipeline", "depyf.decompiler.recompile"):
        importlib.import_module(module)
    if "inductor" in backends:
        importlib.import_module("torch._inductor.compile_fx")
    torch.compile(lambda x: x + 1, backend="eager")(torch.ones(1))
    torch._dynamo.reset()


def measure(
    programs: Programs, program: str, kind: str, sites: Sites, candidates: Collection[int], sample: int, batch: int,
    scratch: str,
) -> Tuple[int, List[str]]:
    """Plants `kind` at each of `candidates` that `program` reaches, or `sample` of them. Gives number, failures."""
    sites.kind = KINDS[kind]
    alone = in_a_process(programs, program, [None], sites, [-1], scratch)[0]
    recorded = in_a_process(programs, program, [os.path.join(scratch, "dump")], sites, [-1], scratch)[0]
    plain = complaints_of_a_plain_run(alone, recorded)
    failures = ["{} [{}], no fault: {}".format(program, kind, one) for one in plain]
    reached: List[int] = [site for site in recorded.get("passed", []) if site in candidates]
    chosen = sorted(random.Random(program + kind).sample(reached, sample)) if 0 < sample < len(reached) else reached
    waiting = [chosen[at : at + batch] for at in range(0, len(chosen), batch)]
    while waiting:
        together = waiting.pop(0)
        directories = [os.path.join(scratch, "dump{}".format(site)) for site in together]
        reports = in_a_process(programs, program, directories, sites, together, scratch)
        died = len(reports) < len(together)
        if died and len(together) > 1:  # whose fault it was shows when each has a process of its own
            waiting[:0] = [[site] for site in together]
            continue
        if died:
            failures.append("{} [{}] at {}: the process died".format(program, kind, sites.names[together[0]]))
        for site, directory, planted in zip(together, directories, reports):
            found = complaints(alone, planted, directory, kind) if planted["fired"] else []
            failures += ["{} [{}] at {}: {}".format(program, kind, sites.names[site], one) for one in found]
        for directory in directories:
            shutil.rmtree(directory, ignore_errors=True)
    return len(chosen), failures


def complaints_of_a_plain_run(alone: Dict[str, Any], recorded: Dict[str, Any]) -> List[str]:
    """Differences of a recording in which nothing is planted."""
    return [
        "{}: {} instead of {}".format(what, _short(recorded.get(what)), _short(alone.get(what)))
        for what in ("result", "exception", "counts", "status", "changed") if recorded.get(what) != alone.get(what)
    ]


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", nargs="+", default=list(DEFAULT_PROGRAMS))
    parser.add_argument("--backend", nargs="+", default=["eager"])
    parser.add_argument("--kind", nargs="+", default=["RuntimeError"], choices=sorted(KINDS))
    parser.add_argument("--sample", type=int, default=0, help="sites per program and kind; 0 for all")
    parser.add_argument("--only", default="", help="sites whose name has this text in it")
    parser.add_argument("--functions", action="store_true", help="only at the beginning of each function")
    parser.add_argument("--batch", type=int, default=25, help="how many faults, one after the other, per process")
    parser.add_argument("--list", action="store_true", help="print the sites and plant nothing")
    options = parser.parse_args(arguments)
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
    sites = Sites()
    plant_everywhere(sites)
    if options.list:
        print("\n".join(sites.names))
        return 0
    warm_up(options.backend)
    import torch

    print("torch {}, Python {}: {} sites in {}".format(
        torch.__version__, sys.version.split()[0], len(sites.names), PACKAGE), flush=True)
    candidates: Collection[int] = sites.first if options.functions else range(len(sites.names))
    candidates = {site for site in candidates if options.only in sites.names[site]}
    total, failures = 0, []
    scratch = tempfile.mkdtemp()  # no `with`: the forked processes would remove it
    for backend in options.backend:
        programs = load_programs(backend)
        for program in options.program:
            for kind in options.kind:
                count, found = measure(
                    programs, program, kind, sites, candidates, options.sample, options.batch, scratch)
                total += count
                failures += found
                print("{:<24} {:<10} {:<18} {:>5} sites, {} failures".format(
                    program, backend, kind, count, len(found)), flush=True)
                print("".join("    {}\n".format(one) for one in found), end="", flush=True)
    shutil.rmtree(scratch, ignore_errors=True)
    print("{} faults planted, {} failures".format(total, len(failures)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
