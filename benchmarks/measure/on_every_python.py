"""Run a quick part of the tests and a sample of the round trip on every CPython 3.8 to 3.15 of this machine.

    python benchmarks/measure/on_every_python.py                     what `make versions` runs
    python benchmarks/measure/on_every_python.py --quick             what .ci/run runs: no slow tests
    python benchmarks/measure/on_every_python.py --only 3.8 3.15     two of them
    python benchmarks/measure/on_every_python.py --sample 1000000    whole standard libraries

Interpreters are found as depyf finds them (DEPYF_PYTHONS, PATH, pyenv, uv). They need nothing installed: depyf runs
from its sources, and one folder with pytest, which pip fills once, serves all of them. The running interpreter has the
tests of `make check`, so these run on it only if --only names it. The slow ones among the tests and those of the whole
command, most of the time, run on the oldest and the newest interpreter, and on those that --only names. Exit status 1
if a test fails, if the round trip is worse than the ratchet promises, or if there is no interpreter but the running
one.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import List, NamedTuple, Optional, Tuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "src"))

from depyf.decompiler.bytecode.interpreters import find_interpreter  # noqa: E402
from depyf.decompiler.bytecode.versions import HOSTS  # noqa: E402

TESTS = (
    "tests/syntax", "tests/printing", "tests/flowgraph", "tests/structure", "tests/lift", "tests/test_import.py",
    "tests/cli/test_cli.py", "tests/cli/test_targets.py", "tests/cli/test_wrong_usage.py",
    "tests/decompiler/test_refused.py", "tests/decompiler/test_pieces_of_functions.py",
    "tests/decompiler/test_stepper.py", "tests/decompiler/test_passes.py", "tests/decompiler/test_invariants.py",
    "tests/decompiler/test_other_versions.py", "tests/proof/test_verify.py", "tests/proof/test_prove.py",
    "tests/proof/test_scaffold.py", "tests/proof/test_compiler_pool.py", "tests/bytecode/test_qualnames.py",
    "tests/bytecode/test_code_flags.py", "tests/benchmarks/test_witness.py",
    "tests/unstructured/test_dynamo.py", "tests/stack_machine", "tests/assembler",
)  # fmt: skip
AT_ENDS = ("tests/cli", "tests/decompiler/test_growth.py", "tests/decompiler/test_nesting.py",
           "tests/decompiler/test_nothing_hidden.py")  # fmt: skip
PYTEST = ("pytest==8.3.5", "pluggy==1.5.0", "iniconfig==2.0.0", "packaging==24.2", "exceptiongroup==1.2.2",
          "tomli==2.2.1", "typing_extensions==4.12.2")  # fmt: skip
"""The last pytest for 3.8, with all that it needs on any version: pure Python, so that one copy serves all."""


class Outcome(NamedTuple):
    """What one command gave: its output, whether all is well, and the seconds it took."""

    text: str
    good: bool
    seconds: float


def run(command: List[str], path: List[str]) -> Outcome:
    """Run ``command`` in the repository with ``path`` to import from."""
    start = time.monotonic()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # each process of a test would compile depyf again
    done = subprocess.run(
        command, cwd=str(ROOT), env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    return Outcome(done.stdout.decode("utf-8", "replace"), done.returncode == 0, time.monotonic() - start)


def install_pytest(folder: Path) -> None:
    """Put pytest into ``folder``, unless it is there. Raises CalledProcessError."""
    if not (folder / "pytest").is_dir():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder), "--no-deps"]
        subprocess.run([*pip, "--python-version", "3.8", "--only-binary=:all:", *PYTEST], check=True)


def measured(python: str, is_end: bool, options: argparse.Namespace) -> Tuple[Optional[Outcome], Outcome]:
    """The tests, if they run there, and the round trip on one interpreter."""
    source = str(ROOT / "src")
    tests = None
    if not options.no_tests and (options.only or python != sys.executable):
        chosen = [*TESTS, *AT_ENDS] if is_end else TESTS
        quick = [] if is_end and not options.quick else ["-m", "not slow"]
        arguments = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *quick, *chosen]
        tests = run([python, *arguments], [source, str(options.pytest)])
    script = [str(ROOT / "benchmarks" / "measure" / "roundtrip.py"), "--stdlib", "--sample", str(options.sample)]
    limits = ["--show", "3", "--ratchet", str(ROOT / "benchmarks" / "measure" / "ratchet.json")]
    return tests, run([python, *script, *limits], [source])


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="VERSION", help="such as 3.8")
    parser.add_argument("--sample", type=int, default=60, help="files of each standard library (default 60)")
    parser.add_argument("-j", "--jobs", type=int, default=2, help="interpreters at a time (default 2)")
    parser.add_argument("--quick", action="store_true", help="no slow tests on the ends either")
    parser.add_argument("--no-tests", action="store_true", help="only the round trip")
    parser.add_argument(
        "--pytest", type=Path, default=ROOT / "build" / "pytest", metavar="FOLDER", help="where pytest is or comes"
    )
    return parser.parse_args()


def main() -> int:
    options = parse_arguments()
    wanted = [version for version in HOSTS if not options.only or "{}.{}".format(*version) in options.only]
    found = {version: python for version in wanted for python in [find_interpreter(version)] if python is not None}
    missing = ["{}.{}".format(*version) for version in wanted if version not in found]
    if not options.no_tests:
        install_pytest(options.pytest)
    good = bool(found) and (bool(options.only) or len(found) > 1)
    others = [version for version, python in found.items() if python != sys.executable]
    ends = found.keys() if options.only else {*others[:1], *others[-1:]}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        answers = {  # the ends take longest, so they are first
            version: pool.submit(measured, found[version], version in ends, options)
            for version in sorted(found, key=lambda version: (version not in ends, version))
        }
        for version in found:
            tests, trip = answers[version].result()
            print("==== CPython {}.{}: {}".format(*version, found[version]))
            if tests is not None:
                print(tests.text if not tests.good else tests.text.strip().splitlines()[-1])
                print(f"tests {'passed' if tests.good else 'FAILED'} in {tests.seconds:.0f} s\n")
            print(trip.text)
            print(f"round trip {'as promised' if trip.good else 'NOT as promised'}, {trip.seconds:.0f} s\n", flush=True)
            good = good and (tests is None or tests.good) and trip.good
    if missing:
        print(f"not on this machine: {', '.join(missing)}")
    print("all well" if good else "NOT all well")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
