"""CPython's own tests, run on decompiled modules of its standard library, beside the same tests on the originals.

    python3.11 benchmarks/measure/cpython_tests.py                      all modules of the list, with this interpreter
    python3.11 benchmarks/measure/cpython_tests.py argparse json -v     some; with what failed
    python3.11 benchmarks/measure/cpython_tests.py --alone typing       without serving the others of the list beside it

All modules of the list are compiled, decompiled from their code objects, and written down; an import hook
(decompiled_import.py) serves these texts to a new process, which runs the tests; so everything that the tests import
from the list is decompiled, the module under test and ``unittest`` itself included. A test that passes with the
originals and does not with the decompiled ones is run once more, and then counts as lost. Exit status 1 if any is.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import marshal
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple, Tuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "src"))

TESTS = {
    "argparse": "test_argparse", "ast": "test_ast", "asyncio": "test_asyncio", "base64": "test_base64",
    "bisect": "test_bisect", "calendar": "test_calendar", "cmd": "test_cmd", "collections": "test_collections",
    "colorsys": "test_colorsys", "configparser": "test_configparser", "contextlib": "test_contextlib",
    "copy": "test_copy", "csv": "test_csv", "dataclasses": "test_dataclasses", "datetime": "test_datetime",
    "_pydatetime": "test_datetime", "_pydecimal": "test_decimal", "difflib": "test_difflib", "dis": "test_dis",
    "email": "test_email", "enum": "test_enum", "filecmp": "test_filecmp", "fileinput": "test_fileinput",
    "fnmatch": "test_fnmatch", "fractions": "test_fractions", "ftplib": "test_ftplib", "functools": "test_functools",
    "getopt": "test_getopt", "glob": "test_glob", "gzip": "test_gzip", "heapq": "test_heapq", "html": "test_html",
    "http": "test_httplib", "inspect": "test_inspect", "ipaddress": "test_ipaddress", "json": "test_json",
    "logging": "test_logging", "mailbox": "test_mailbox", "numbers": "test_abstract_numbers",
    "operator": "test_operator", "optparse": "test_optparse", "pathlib": "test_pathlib", "pickle": "test_pickle",
    "pickletools": "test_pickletools", "plistlib": "test_plistlib", "pprint": "test_pprint", "queue": "test_queue",
    "quopri": "test_quopri", "random": "test_random", "reprlib": "test_reprlib", "sched": "test_sched",
    "shlex": "test_shlex", "shutil": "test_shutil",
    "statistics": "test_statistics", "string": "test_string", "tarfile": "test_tarfile", "tempfile": "test_tempfile",
    "textwrap": "test_textwrap", "threading": "test_threading", "timeit": "test_timeit", "tokenize": "test_tokenize",
    "traceback": "test_traceback", "types": "test_types", "typing": "test_typing", "unittest": "test_unittest",
    "urllib": "test_urlparse", "uuid": "test_uuid", "warnings": "test_warnings", "weakref": "test_weakref",
    "xml": "test_xml_etree", "zipfile": "test_zipfile",
}  # fmt: skip
"""Modules and packages, each with the test of CPython's that is its own."""

Served = Dict[str, Tuple[str, str, bool]]


class Run(NamedTuple):
    """What became of each test; the modules that were served; why it did not end, "" if it did."""

    outcomes: Dict[str, str]
    served: List[str]
    failure: str


def sources(name: str) -> Iterator[Tuple[str, str, bool]]:
    """The module or the package with all its modules: name, path, whether it is a package; none if there is none."""
    spec = importlib.util.find_spec(name)
    path = spec.origin if spec is not None else None
    if path is None or not path.endswith(".py"):
        return
    is_package = bool(spec is not None and spec.submodule_search_locations)
    yield name, path, is_package
    if is_package:
        folder = Path(path).parent
        for below in sorted(folder.iterdir()):
            if below.name in ("__pycache__", "test", "__init__.py"):
                continue
            if below.suffix == ".py" or (below / "__init__.py").exists():
                yield from sources(f"{name}.{below.stem}")


def decompile(names: List[str], folder: Path) -> Tuple[Served, List[str]]:
    """Texts for the modules, as files in ``folder``; names of those that are not proven."""
    from depyf.decompiler.pipeline import analyze

    served: Served = {}
    unproven = []
    for name in names:
        for module, path, is_package in sources(name):
            with open(path, "rb") as file:
                code = compile(file.read(), path, "exec", dont_inherit=True)
            result = analyze(code)
            if not result.proven:
                unproven.append(module)
            text = folder / (module + ".py")
            text.write_bytes(result.source.encode("utf-8", "surrogatepass"))
            served[module] = (str(text), path, is_package)
    return served, unproven


def run(test: str, served: Served, limit: float) -> Run:
    """One test module in a new process."""
    with tempfile.TemporaryDirectory() as folder:
        order, result = os.path.join(folder, "order"), os.path.join(folder, "result")
        with open(order, "wb") as file:
            marshal.dump({"modules": served, "test": test, "result": result}, file)
        frozen = ["-X", "frozen_modules=off"]  # an option that older interpreters take and ignore
        server = ROOT / "benchmarks" / "lib" / "decompiled_import.py"
        command = [sys.executable, "-S", "-E", "-B", *frozen, str(server), order]
        process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
        try:
            output, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            return Run({}, [], f"it did not end within {limit:.0f} s")
        finally:
            with contextlib.suppress(ProcessLookupError):  # and what the tests have started and left
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        try:
            with open(result, "rb") as file:
                found = marshal.load(file)
        except (OSError, EOFError, ValueError):
            said = output.decode("utf-8", "replace").strip()
            return Run({}, [], f"exit status {process.returncode}: {said[-1500:]}")
        return Run(found["outcomes"], found["served"], "")


def lost(original: Run, decompiled: Run) -> List[str]:
    """Tests that pass with the originals, and not with the decompiled modules."""
    if decompiled.failure and not original.failure:
        return ["all of it"]
    fine = ("ok", "expected failure")
    return [
        name for name, outcome in original.outcomes.items()
        if outcome in fine and decompiled.outcomes.get(name) not in fine
    ]  # fmt: skip


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("modules", nargs="*", help="modules of the list (default: all)")
    parser.add_argument("--alone", action="store_true", help="serve only the module under test")
    parser.add_argument("--limit", type=float, default=600, help="seconds for a test module (default 600)")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="write the decompiled modules there")
    parser.add_argument("-v", "--verbose", action="store_true", help="what failed, in full")
    options = parser.parse_args()
    unknown = [name for name in options.modules if name not in TESTS]
    if unknown:
        parser.error(f"not in the list: {', '.join(unknown)}; the list: {', '.join(TESTS)}")
    return options


def main() -> int:
    options = parse_arguments()
    names = [name for name in TESTS if any(sources(name))]
    wanted = [name for name in options.modules or TESTS if name in names]
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        served, unproven = decompile(wanted if options.alone else names, folder)
        seconds = time.monotonic() - start
        print(f"Python {sys.version.split()[0]}: {len(served)} modules decompiled in {seconds:.0f} s, "
              f"{len(unproven)} not proven{': ' + ', '.join(unproven) if unproven else ''}", flush=True)
        total = passed = 0
        good = []
        for name in wanted:
            mine = {one: where for one, where in served.items() if not options.alone or one.split(".")[0] == name}
            original = run(TESTS[name], {}, options.limit)
            decompiled = run(TESTS[name], mine, options.limit)
            gone = lost(original, decompiled)
            if gone:
                decompiled = run(TESTS[name], mine, options.limit)
                gone = lost(original, decompiled)
            fine = sum(outcome in ("ok", "expected failure") for outcome in original.outcomes.values())
            total, passed = total + fine, passed + fine - len(gone)
            how = "as before" if not gone else f"LOST {len(gone)}"
            if name not in decompiled.served and not decompiled.failure:
                gone, how = gone or [""], "NOT SERVED: it was imported before the hook stood"
            if original.failure or not fine:
                how = f"nothing to compare: {original.failure or 'no test passes with the originals either'}"
            elif not gone:
                good.append(name)
            served_count = f"{len(decompiled.served):3} modules served"
            print(f"{name:14} {TESTS[name]:20} {fine:5} pass  {served_count}  {how}", flush=True)
            if decompiled.failure:
                print(f"    {decompiled.failure}")
            for one in gone[: len(gone) if options.verbose else 3]:
                outcome = decompiled.outcomes.get(one, "not run").strip()
                print(f"    {one}: {outcome if options.verbose else outcome.splitlines()[-1]}")
    print(f"{len(good)} of {len(wanted)} modules pass their own tests as before; {passed} of {total} tests; "
          f"{time.monotonic() - start:.0f} s")
    return 0 if passed == total else 1


if __name__ == "__main__":
    sys.exit(main())
