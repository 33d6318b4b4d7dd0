"""Records the code objects that Dynamo makes of the programs in dynamo_programs*.py, as data for the tests.

    python lab/record_dynamo.py [--only PROGRAM ...] [--default] [FOLDER]

The running Python and its torch name the file, such as tests/cases/dynamo/py311_torch213.json.gz: the bytecode is
theirs. Recorded are transformed codes and the resume functions that Dynamo makes for itself to transform later. Each
program runs in a process of its own, several times with other settings of Dynamo. Constants that are no literals become
markers with a name, the unique parts of Dynamo's names are cut: two runs give the same file. Codes that differ in
nothing but lines, names of the function and counters are stored once. Programs that this torch can't run are listed.
"""

from __future__ import annotations

import argparse
import base64
import collections
import contextlib
import gzip
import io
import json
import os
import re
import signal
import sys
import types
import warnings
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, NoReturn, Tuple

if os.environ.get("PYTHONHASHSEED") != "0":  # sets of names have the same order each time
    os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "PYTHONHASHSEED": "0"})

warnings.simplefilter("ignore")
import torch  # noqa: E402
import torch._dynamo  # noqa: E402

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
import dynamo_effects  # noqa: E402, F401
import dynamo_layers  # noqa: E402, F401
from dynamo_programs import PROGRAMS  # noqa: E402

SECONDS = 60
"""A program that runs for longer is given up."""
TOGETHER = 20
"""So many programs run in one process."""
UUID = re.compile(r"_[0-9a-f]{8}_[0-9a-f]{4}_[0-9a-f]{4}_[0-9a-f]{4}_[0-9a-f]{12}")
ADDRESS = re.compile(r"(?<=_)\d{9,}(?=_c\d)")
COUNTED = re.compile(r"(__\w*?[a-z_]\w*?)_(\d+)")
RESUMED = re.compile(r"(torch_dynamo_)?resume_in_|<resume in ")
FIELDS = (
    "argcount", "posonlyargcount", "kwonlyargcount", "nlocals", "stacksize", "flags", "varnames", "name", "qualname",
    "firstlineno", "freevars", "cellvars",
)  # fmt: skip
TABLES = ("code", "linetable" if hasattr((lambda: 0).__code__, "co_linetable") else "lnotab", "exceptiontable")
SETTINGS: Dict[str, Dict[str, Any]] = {
    "": {},
    "nested": {"nested_graph_breaks": True},
    "dynamic": {"assume_static_by_default": False},
    "modules": {"inline_inbuilt_nn_modules": False},
    "inlined": {"inline_inbuilt_nn_modules": True},
    "scalars": {"capture_scalar_outputs": True, "capture_dynamic_output_shape_ops": True},
}
"""Runs of every program, by name: settings of Dynamo. Where a torch lacks one, that run is left out."""


class Names:
    """Names as they are stored, for one run: addresses, unique ids and counters are numbered anew."""

    def __init__(self) -> None:
        self.numbers: Dict[str, Dict[str, str]] = {}

    def stored(self, name: str) -> str:
        name = ADDRESS.sub(lambda match: self.number("", match.group()), UUID.sub("", name))
        match = COUNTED.fullmatch(name)
        return f"{match.group(1)}_{self.number(*match.groups())}" if match else name

    def number(self, prefix: str, number: str) -> str:
        known = self.numbers.setdefault(prefix, {})
        return known.setdefault(number, str(len(known)))


def code_as_data(code: types.CodeType, names: Names) -> Dict[str, Any]:
    data: Dict[str, Any] = {field: getattr(code, "co_" + field) for field in FIELDS if hasattr(code, "co_" + field)}
    for field in ("varnames", "freevars", "cellvars", "names"):
        data[field] = [names.stored(name) for name in getattr(code, "co_" + field)]
    data["name"] = names.stored(code.co_name)
    for field in TABLES:
        if hasattr(code, "co_" + field):
            data[field] = base64.b64encode(getattr(code, "co_" + field)).decode()
    data["consts"] = [constant_as_data(constant, names) for constant in code.co_consts]
    return data


def constant_as_data(value: Any, names: Names) -> List[Any]:
    """A pair of kind and data."""
    if isinstance(value, types.CodeType):
        return ["code", code_as_data(value, names)]
    if type(value) in (tuple, frozenset):
        items = sorted(value, key=repr) if type(value) is frozenset else value
        return [type(value).__name__, [constant_as_data(item, names) for item in items]]
    if type(value) is slice:
        return ["slice", [constant_as_data(item, names) for item in (value.start, value.stop, value.step)]]
    if type(value) is str:
        return ["literal", repr(names.stored(value))]
    if value is None or type(value) in (bool, int, float, complex, bytes) or value is Ellipsis:
        text = repr(value)
        return ["number", text] if "inf" in text or "nan" in text else ["literal", text]
    if type(value) is dict and "__name__" in value:
        return ["globals", value["__name__"]]
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None) or safe_text(value)
    return ["object", type(value).__name__, names.stored(re.sub(r" at 0x[0-9a-f]+", "", str(name)))]


def safe_text(value: Any) -> str:
    try:
        return repr(value).splitlines()[0][:80]
    except Exception:
        return "object"


def identity(data: Dict[str, Any]) -> str:
    """The same for codes that differ in nothing but lines, the function's name, and counters in names."""
    numbers: Dict[str, str] = {}

    def counted(name: str) -> str:
        match = COUNTED.fullmatch(name)
        return match.group(1) + numbers.setdefault(name, f"#{len(numbers)}") if match else name

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            skipped = ("name", "qualname", "firstlineno", "linetable", "lnotab")
            return {key: plain(item) for key, item in sorted(value.items()) if key not in skipped}
        if isinstance(value, list):
            return [plain(item) for item in value]
        return counted(value) if isinstance(value, str) else value

    return json.dumps(plain(data))


class Run(NamedTuple):
    """One program with one choice of settings."""

    program: str
    variant: str

    @property
    def label(self) -> str:
        return f"{self.program}@{self.variant}" if self.variant else self.program


def record(run: Run) -> Dict[str, Any]:
    """Run one program; gives its rows (function, line, kind, code) and the reason if it did not end well."""
    pairs: List[Tuple[types.CodeType, types.CodeType]] = []
    torch._dynamo.reset()
    torch.manual_seed(0)
    torch.set_grad_enabled(True)
    handle = torch._dynamo.convert_frame.register_bytecode_hook(lambda old, new: pairs.append((old, new)))
    settings = SETTINGS[run.variant]
    reason = ""
    try:
        with torch._dynamo.config.patch(settings) if settings else contextlib.nullcontext():
            PROGRAMS[run.program](lambda function, **options: torch.compile(function, backend="eager", **options))
    except BaseException as error:
        reason = f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else ''}"[:160]
    finally:
        handle.remove()
    names = Names()
    rows = []
    for old, new in pairs:
        place = [names.stored(old.co_name), old.co_firstlineno]
        if RESUMED.match(old.co_name):
            rows.append([*place, "resume", code_as_data(old, names)])
        rows.append([*place, "transformed", code_as_data(new, names)])
    return {"rows": rows, "reason": reason}


def record_apart(runs: List[Run]) -> Iterator[Dict[str, Any]]:
    """``record`` of each in a child process; one that crashes or runs for too long is left out by the next child."""
    done = 0
    while done < len(runs):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            record_into(write, runs[done:])
        os.close(write)
        with os.fdopen(read) as file:
            for line in file:
                if line.endswith("\n"):
                    done += 1
                    yield json.loads(line)
        status = os.waitpid(child, 0)[1]
        if done < len(runs):
            signaled = os.WIFSIGNALED(status)
            yield {"rows": [], "reason": f"ended by signal {os.WTERMSIG(status)}" if signaled else "process ended"}
            done += 1


def record_into(pipe: int, runs: List[Run]) -> NoReturn:
    """What the child does: a line for each run."""
    try:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        with os.fdopen(pipe, "w") as file:
            for run in runs:
                signal.alarm(SECONDS)
                file.write(json.dumps(record(run)) + "\n")
                file.flush()
    finally:
        os._exit(0)


def compressed(text: str) -> bytes:
    """``text`` as a gzip file without a time in it."""
    file = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as archive:
        archive.write(text.encode())
    return file.getvalue()


def variants() -> Iterator[str]:
    """The settings that this torch has, and that are not its defaults."""
    for name, settings in SETTINGS.items():
        have = all(hasattr(torch._dynamo.config, key) for key in settings)
        if not name or have and any(getattr(torch._dynamo.config, key) != value for key, value in settings.items()):
            yield name


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="PROGRAM", help="run these, and print what was found")
    parser.add_argument("--default", action="store_true", help="with Dynamo's default settings alone")
    parser.add_argument("folder", nargs="?", default=str(HERE.parent / "tests" / "cases" / "dynamo"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.compile(lambda x: x + 1, backend="eager")(torch.ones(1))  # import all that the children need
    codes: Dict[str, int] = {}
    lines: List[str] = []
    rows: List[List[Any]] = []
    failed: Dict[str, str] = {}
    settings = [""] if options.default else list(variants())
    programs = options.only or list(PROGRAMS)
    for start in range(0, len(programs), TOGETHER):
        runs = [Run(name, variant) for name in programs[start : start + TOGETHER] for variant in settings]
        for run, found in zip(runs, record_apart(runs)):
            if found["reason"]:
                failed[run.label] = found["reason"]
            for function, line, kind, data in found["rows"]:
                key = identity(data)
                known = codes.setdefault(key, len(lines))
                if known == len(lines):
                    lines.append(json.dumps(data, separators=(",", ":"), sort_keys=True))
                elif run.variant:
                    continue  # the same as with the default settings
                rows.append([run.label, function, line, kind, known])
        print(f"{start + TOGETHER} programs, {len(lines)} codes", file=sys.stderr)
    if not options.only:
        version = "".join(map(str, sys.version_info[:2]))
        numbers = "".join(torch.__version__.split(".")[:2])
        path = Path(options.folder, f"py{version}_torch{numbers}.json.gz")
        head = {"python": version, "torch": torch.__version__.split("+")[0], "failed": failed, "rows": rows}
        text = json.dumps(head, separators=(",", ":"))[:-1] + ',"codes":[\n' + ",\n".join(lines) + "\n]}\n"
        with open(path, "wb") as file:
            file.write(compressed(text))
    print("\n".join(f"{label}: {reason}" for label, reason in failed.items()))
    first = {row[4]: row for row in reversed(rows)}.values()
    kinds = collections.Counter(row[3] for row in first)
    by_settings = collections.Counter(row[0].partition("@")[2] or "default" for row in first)
    print(f"{len(lines)} distinct codes {dict(kinds)} of {len(programs)} programs; by settings {dict(by_settings)}")


if __name__ == "__main__":
    main()
