"""Plays three new users with an installed wheel, without torch: a reader, someone with compiled files, a maintainer.

    python benchmarks/measure/three_users.py [--python .../python3.8 --python .../python3.14] [--dask]

For each Python: builds the wheel of this checkout, installs it into an environment of its own, and then

    reader       runs each command of the how-tos that need no torch, in the order of their pages
    files        decompiles in four locales into a redirect; the wrong usages of tests/cli/wrong_usage.txt; Ctrl-C and
                 SIGTERM at ten moments of `decompile`, `verify` and `disasm`; a closed pipe
    maintainer   a wheel without compiled files, beside a checkout, an sdist and another wheel; completion, manual page
    dask         with --dask: a scheduler and two workers on this machine, one of which is killed in the middle; the
                 texts are those of one process, and no file is lost

Prints a line for each, and the sizes; ends with 1 if something is not as it should be. Needs pip.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any, Callable, Dict, List, Sequence

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = ("pyc", "layout", "verify")
LOCALES = (("C", "ascii"), ("C.UTF-8", "utf-8"), ("C", "cp1252"), ("C", "latin-1"))
MOMENTS = 10
CLUSTER = """\
import os, sys, time
from distributed import LocalCluster
if __name__ == "__main__":
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    print(cluster.scheduler_address, *(nanny.pid for nanny in cluster.workers.values()), flush=True)
    time.sleep(600)
"""


class User:
    """One environment, with a folder to work in. ``wrong`` is what was not as it should be."""

    def __init__(self, python: str, wheel: Path, folder: Path, extra: str) -> None:
        self.folder, self.wheel = folder, wheel
        self.wrong: List[str] = []
        made = folder / "environment"
        subprocess.run([python, "-m", "venv", "--without-pip", str(made)], check=True)
        self.bin = made / ("Scripts" if os.name == "nt" else "bin")
        pip = [sys.executable, "-m", "pip", "--python", str(self.bin / "python"), "install", "--quiet"]
        subprocess.run([*pip, f"{wheel}{extra}"], check=True)
        (folder / "work").mkdir()
        self.environment = {**os.environ, "PATH": f"{self.bin}{os.pathsep}{os.environ['PATH']}", "PYTHONUTF8": "0"}
        self.environment.pop("PYTHONPATH", None)

    def run(self, *words: str, inside: str = "", **more: str) -> subprocess.CompletedProcess[bytes]:
        """``depyf`` with these words, in this folder of the one to work in."""
        return subprocess.run(
            [str(self.bin / "depyf"), *words], cwd=self.folder / "work" / inside, env={**self.environment, **more},
            capture_output=True, timeout=300,
        )  # fmt: skip

    def expect(self, what: str, done: Any, status: int, said: str = "") -> None:
        """Note it if a command has another status, has not said that, or ends in a traceback."""
        text = (done.stdout + done.stderr).decode("utf-8", "replace")
        if done.returncode != status or said not in text or "Traceback" in text:
            self.wrong.append(f"{what}: status {done.returncode}, not {status}: {text[-300:]}")

    def shell(self, command: str) -> subprocess.CompletedProcess[bytes]:
        """A command of a page."""
        return subprocess.run(
            ["bash", "-c", command], cwd=self.folder / "work", env=self.environment, capture_output=True, timeout=300
        )  # fmt: skip


def reader(user: User) -> int:
    """Each command of the pages, after the files that they have written; how many."""
    sys.path.insert(0, str(ROOT / "tests" / "documentation"))
    blocks_of: Any = importlib.import_module("blocks").blocks_of
    count = 0
    for page in PAGES:
        for block in blocks_of((ROOT / "docs" / "how-to" / f"{page}.md").read_text(encoding="utf-8")):
            if block.title:
                (user.folder / "work" / block.title).write_text(block.text, encoding="utf-8")
                if page != "verify" or block.title == "poison.py":
                    user.shell(f"python {block.title}")
            for line in block.text.splitlines() if block.language == "console" else ():
                if line.startswith("$ "):
                    count += 1
                    done = user.shell(line[2:].replace("cpython-311", "*"))
                    text = (done.stdout + done.stderr).decode("utf-8", "replace")
                    if done.returncode > 3 or "Traceback" in text or "internal error" in text:
                        user.wrong.append(f"{page}: {line}: {text[-300:]}")
    return count


def files(user: User) -> int:
    """Locales, wrong usages, signals, a closed pipe; how many runs."""
    count = 0
    work = user.folder / "work"
    (work / "arrow.py").write_text("x = '\u2192 \u00e9'\n", encoding="utf-8")
    for language, encoding in LOCALES:
        done = user.run("decompile", "arrow.py", LC_ALL=language, PYTHONIOENCODING=encoding)
        count += 1
        user.expect(f"locale {language} {encoding}", done, 0)
        if "\u2192 \u00e9" not in done.stdout.decode("utf-8"):
            user.wrong.append(f"locale {language} {encoding}: {done.stdout!r}")
    sys.path.insert(0, str(ROOT / "tests" / "cli"))
    (work / "wrong").mkdir()
    importlib.import_module("test_wrong_usage").make_files(work / "wrong")
    for words in wrong_usages():
        count += 1
        done = user.run(*shlex.split(words), inside="wrong")
        lines = (done.stdout + done.stderr).decode().splitlines()
        if done.returncode not in (1, 2, 3) or len(lines) > 2:
            user.wrong.append(f"depyf {words}: status {done.returncode}, {lines[-1:]}")
    many = work / "many"
    many.mkdir()
    for number in range(40):
        (many / f"m{number}.py").write_text("".join(f"def f{one}(x):\n    return x + {one}\n" for one in range(20)))
    subprocess.run([str(user.bin / "python"), "-m", "compileall", "-q", str(many)], check=True)
    for words in ("decompile many -o out{} -j 2", "verify many", "disasm many/m1.py"):
        count += MOMENTS
        _signals(user, words)
    running = subprocess.Popen([str(user.bin / "depyf"), "verify", "-v", "many"], cwd=work, env=user.environment,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    running.stdout.close()  # type: ignore[union-attr]
    errors = running.stderr.read()  # type: ignore[union-attr]
    if running.wait() != 141 or errors:
        user.wrong.append(f"a closed pipe: {running.returncode} {errors[-300:]!r}")
    return count + 1


def wrong_usages() -> List[str]:
    """Those of the test."""
    text = (ROOT / "tests" / "cli" / "wrong_usage.txt").read_text(encoding="utf-8")
    return [line[len("$ depyf") :].strip() for line in text.splitlines() if line.startswith("$ depyf")]


def _signals(user: User, words: str) -> None:
    began = time.monotonic()
    user.run(*words.format("").split())
    length = time.monotonic() - began
    for moment in range(MOMENTS):
        number, status, said = [
            (signal.SIGINT, 130, b"depyf: interrupted\n"), (signal.SIGTERM, 143, b"depyf: terminated\n")
        ][moment % 2]  # fmt: skip
        running = subprocess.Popen(
            [str(user.bin / "depyf"), *words.format(moment).split()], cwd=user.folder / "work", env=user.environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        time.sleep(length * (moment + 1) / (MOMENTS + 1))
        try:
            os.killpg(running.pid, number)
        except ProcessLookupError:
            pass
        errors = running.communicate(timeout=60)[1]
        # The interpreter ends by the signal before it runs depyf; or the command was done before.
        early = running.returncode == -number or running.returncode in (1, 130) and b"site" in errors
        if not early and (running.returncode, errors) != (status, said) and running.returncode != 0:
            user.wrong.append(f"{words}, moment {moment}: {running.returncode} {errors[-300:]!r}")
        if list((user.folder / "work").glob("out*/*.part")):
            user.wrong.append(f"{words}, moment {moment}: a file is not whole")


def maintainer(user: User) -> int:
    """Wheels beside other things, and what a shell needs; how many runs."""
    wheel, same = user.wheel, str(user.wheel)
    other = user.folder / "work" / "other.whl"
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(other, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, data + b"\nx = 1\n" if name.endswith("depyf/escapes.py") else data)
    runs: Sequence[Any] = (
        ("nothing checked", ["verify", same], 3, "nothing was checked"),
        ("a checkout", ["verify", same, "--source", str(ROOT)], 0, "Python files"),
        ("another wheel", ["diff", same, str(other)], 1, "depyf/escapes.py: differs"),
        ("RECORD", ["diff", same, str(other)], 1, "has another sha256"),
        ("the same wheel", ["diff", same, same], 0, "identical"),
        ("a member", ["disasm", f"{same}:depyf/escapes.py:printable"], 0, "printable"),
        ("bash", ["--print-completion", "bash"], 0, "complete "),
        ("zsh", ["--print-completion", "zsh"], 0, "#compdef depyf"),
        ("fish", ["--print-completion", "fish"], 0, "complete -c depyf"),
        ("man", ["--print-man"], 0, ".TH DEPYF 1"),
        ("doctor", ["doctor"], 0, "depyf "),
    )
    for what, words, status, said in runs:
        user.expect(what, user.run(*words), status, said)
    return len(runs)


def dask(user: User) -> int:
    """A cluster with two workers, one of which is killed; how many files."""
    (user.folder / "cluster.py").write_text(CLUSTER)
    work = user.folder / "work"
    cluster = subprocess.Popen([str(user.bin / "python"), str(user.folder / "cluster.py")], env=user.environment,
                               stdout=subprocess.PIPE, text=True, cwd=user.folder)  # fmt: skip
    try:
        address, first, *_ = cluster.stdout.readline().split()  # type: ignore[union-attr]
        user.expect("one process", user.run("decompile", "many", "-o", "alone"), 0)
        running = subprocess.Popen(
            [str(user.bin / "depyf"), "decompile", "many", "-o", "spread", "--scheduler", address,
             "--results", "spread/all.parquet"], cwd=work, env=user.environment, stderr=subprocess.PIPE,
        )  # fmt: skip
        while running.poll() is None and not list(work.glob("spread/**/*.py")):
            time.sleep(0.05)
        os.kill(int(first), signal.SIGKILL)
        errors = running.communicate(timeout=300)[1]
        texts: List[Dict[str, bytes]] = [
            {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.py")}
            for folder in (work / "alone", work / "spread")
        ]
        if running.returncode or texts[0] != texts[1] or not texts[0]:
            user.wrong.append(f"dask: {running.returncode}, {[len(one) for one in texts]} files, {errors[-300:]!r}")
        verified = [user.run("verify", "many", "--json", *more).stdout for more in ([], ["--scheduler", address])]
        if verified[0] != verified[1] or json.loads(verified[0])["exit_status"] != 0:
            user.wrong.append("dask: verify says something else than one process does")
    finally:
        cluster.terminate()
        cluster.wait()
    return len(texts[0])


def main(arguments: Any = None) -> int:
    """Play them; 1 if something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", action="append", help="an interpreter (default: this one); repeatable")
    parser.add_argument("--dask", action="store_true", help="install depyf-proven[dask], and use a cluster")
    options = parser.parse_args(arguments)
    status = 0
    with tempfile.TemporaryDirectory(prefix="three-users-") as name:
        folder = Path(name)
        build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(folder), str(ROOT)]
        subprocess.run(build, check=True)
        [wheel] = folder.glob("*.whl")
        print(f"{wheel.name}: {wheel.stat().st_size} bytes")
        for number, python in enumerate(options.python or [sys.executable]):
            (folder / str(number)).mkdir()
            user = User(python, wheel, folder / str(number), "[dask]" if options.dask else "")
            parts: List[Callable[[User], int]] = [reader, files, maintainer, *([dask] if options.dask else [])]
            for part in parts:
                count = part(user)
                print(f"{python} {part.__name__}: {count} runs, {len(user.wrong)} wrong", flush=True)
                print("".join(f"  {line}\n" for line in user.wrong), end="", flush=True)
                status |= bool(user.wrong)
                user.wrong.clear()
    return status


if __name__ == "__main__":
    sys.exit(main())
