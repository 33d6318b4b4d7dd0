"""No process that depyf starts outlives it, however it ends and whatever they are doing."""

from __future__ import annotations

import os
import py_compile
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from depyf.children import Child

ROOT = Path(__file__).parent.parent
ENDINGS = [signal.SIGTERM, signal.SIGKILL, signal.SIGINT, signal.SIGHUP]
SECONDS = 20.0
"""How long processes may take to be gone. They take milliseconds; this is for machines that are busy."""


def living(group: int) -> list[str]:
    """The processes of a group; those that only wait to be asked how they ended are none."""
    if not os.path.isdir("/proc/self"):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return []
        return ["somebody"]
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            state, _, its_group = Path("/proc", process, "stat").read_text().rpartition(")")[2].split()[:3]
            if state not in "ZX" and int(its_group) == group:
                found.append(Path("/proc", process, "cmdline").read_text().replace("\0", " "))
        except OSError:
            pass  # it has just ended
    return found


def until(condition):
    """Whether it comes true."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False


def start(*command: str, **options) -> subprocess.Popen:
    """A command in a group of processes of its own."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, **options}
    return subprocess.Popen([sys.executable, *command], start_new_session=True, **options)


def all_gone(process: subprocess.Popen) -> list[str]:
    process.wait()
    if process.stdout is not None:
        process.stdout.close()
    until(lambda: not living(process.pid))
    left = living(process.pid)
    if left:
        os.killpg(process.pid, signal.SIGKILL)
    return left


BUSY = {
    "asleep": "import time\ntime.sleep(1000)",
    "waiting for its input": "import sys\nsys.stdin.buffer.read()",
    "in Python": "while True: pass",
    "in C, and holding the lock": "x = 7 ** 100000\nwhile True: x = x * x",
    "unwilling": "import signal\nfor n in (1, 2, 15): signal.signal(n, signal.SIG_IGN)\nwhile True: pass",
}
PARENT = """
import sys, time
from depyf.children import Child
child = Child(sys.executable, ["-I"], sys.argv[1], stderr=-3)
child.answers.readline()
print("ready", flush=True)
time.sleep(1000)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("doing", BUSY.values(), ids=BUSY)
def test_children_and_theirs_end(doing, number, tmp_path):
    (tmp_path / "inner.py").write_text("print('here', flush=True)\n" + doing)
    folder = str(ROOT / "src")
    middle = f"import sys\nsys.path.insert(0, {folder!r})\nsys.argv[1:] = [{str(tmp_path / 'inner.py')!r}]\n" + PARENT
    (tmp_path / "middle.py").write_text(middle)
    process = start("-c", PARENT, str(tmp_path / "middle.py"))
    assert process.stdout.readline() == b"ready\n"
    assert len(living(process.pid)) == 3 or not os.path.isdir("/proc/self")
    process.send_signal(number)
    assert all_gone(process) == []


def test_children_end_where_their_parent_has_forked(tmp_path):
    """The fork must not hold what tells them that their parent is gone."""
    (tmp_path / "child.py").write_text("print('here', flush=True)\nwhile True: pass")
    forks = PARENT.replace("time.sleep(1000)", "import os\nif os.fork() == 0: os.setsid()\ntime.sleep(60)")
    process = start("-c", forks, str(tmp_path / "child.py"))
    assert process.stdout.readline() == b"ready\n"
    time.sleep(0.2)
    process.kill()
    assert all_gone(process) == []


def test_the_interrupt_of_a_terminal_is_for_the_parent(tmp_path):
    (tmp_path / "child.py").write_text("print('here', flush=True)\nprint(input(), flush=True)\ninput()")
    child = Child(sys.executable, ["-I"], str(tmp_path / "child.py"))
    assert child.answers.readline() == b"here\n"
    child.process.send_signal(signal.SIGINT)
    child.requests.write(b"still here\n")
    child.requests.flush()
    assert child.answers.readline() == b"still here\n"
    child.end()
    assert child.process.returncode in (0, -signal.SIGKILL)


def test_no_descriptor_is_kept(tmp_path):
    (tmp_path / "child.py").write_text("input()")
    folder = "/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd"
    before = len(os.listdir(folder))
    for _ in range(3):
        Child(sys.executable, ["-I"], str(tmp_path / "child.py")).end()
    with pytest.raises(OSError):
        Child(str(tmp_path / "no python"), ["-I"], str(tmp_path / "child.py"))
    assert len(os.listdir(folder)) == before


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A folder of compiled files, some of the library."""
    folder = tmp_path_factory.mktemp("many")
    for number, source in enumerate(sorted(Path(os.__file__).parent.glob("[a-h]*.py"))[:60]):
        py_compile.compile(str(source), str(folder / f"p{number % 3}" / f"{source.stem}.pyc"), doraise=True)
    return folder


def decompiled(folder: Path) -> dict[str, str]:
    found = {}
    for path in folder.rglob("*.py"):
        found[str(path.relative_to(folder))] = path.read_text()
        assert "\n# CPython 3." in found[str(path.relative_to(folder))], "not whole"
        compile(path.read_text(), str(path), "exec", dont_inherit=True)
    return found


@pytest.mark.parametrize("seed", range(12))
def test_an_interrupted_run_leaves_whole_files_and_no_process(seed, many, tmp_path):
    """At a random moment; the next run does the rest."""
    chance = random.Random(seed)
    number = ENDINGS[seed % len(ENDINGS)]
    command = ["-m", "depyf", "decompile", str(many), "-o", str(tmp_path / "out"), "-j", str(1 + seed % 3)]
    process = start(*command, stdout=subprocess.DEVNULL)
    wanted = chance.randrange(1, 12)
    until(lambda: process.poll() is not None or len(list((tmp_path / "out").rglob("*.py"))) >= wanted)
    time.sleep(chance.random() / 10)
    process.send_signal(number)
    assert all_gone(process) == []
    found = decompiled(tmp_path / "out")
    if process.returncode not in (-number, 128 + number):  # a busy machine let it end first
        assert (process.returncode, len(found)) == (0, len(list(many.rglob("*.pyc"))))
    unfinished = list((tmp_path / "out").rglob(".depyf-*.part"))
    assert len(unfinished) <= (number == signal.SIGKILL)


def test_the_run_after_one_that_was_killed(many, tmp_path):
    out = tmp_path / "out"
    command = ["-m", "depyf", "decompile", str(many), "-o", str(out), "-j", "2"]
    process = start(*command, stdout=subprocess.DEVNULL)
    assert until(lambda: len(list(out.rglob("*.py"))) >= 5)
    process.kill()
    assert all_gone(process) == []
    (out / "p0" / ".depyf-0123456789abcdef.part").touch()
    before = decompiled(out)
    done = subprocess.run([sys.executable, *command], stderr=subprocess.PIPE, text=True)
    assert done.returncode in (0, 1)
    assert " there already" in done.stderr.splitlines()[-1]
    after = decompiled(out)
    assert len(after) == len(list(many.rglob("*.pyc"))) and {name: after[name] for name in before} == before
    assert list(out.rglob(".depyf-*.part")) == []
