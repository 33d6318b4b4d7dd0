"""`depyf run` beside the interpreter: programs of all kinds do the same, to the last byte and the exit status."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipapp
from pathlib import Path

import pytest
from torch_programs import SCRIPTS

PROGRAMS = {
    "arguments": "import sys; print(sys.argv[1:], sys.argv[0] == __file__)",
    "names": "print(__name__, __spec__, __package__, sorted(globals())); print(type(__loader__).__name__)",
    "a status": "import sys; print('x'); sys.exit(3)",
    "a message": "import sys; sys.exit('that is all')",
    "an exception": "def f(n):\n    return 1 / n\n\nprint('before')\nf(0)\n",
    "a chain": "try:\n    {}['a']\nexcept KeyError as error:\n    raise ValueError('b') from error\n",
    "no Python": "print('x'\ny = 2\n",
    "an interrupt": "raise KeyboardInterrupt",
    "a group": "raise ExceptionGroup('g', [ValueError(1), KeyError('k')])",
    "its own hook": "import sys\nsys.excepthook = lambda *seen: print(seen[0], seen[2].tb_lineno)\n1 / 0",
    "exit functions": "import atexit\natexit.register(print, 'first')\natexit.register(print, 'second')\nprint('main')",
    "a thread": (
        "import threading, time\n"
        "threading.Thread(target=lambda: (time.sleep(0.2), print('late'))).start()\nprint('main')"
    ),
    "at once": "import os\nprint('x', flush=True)\nos._exit(4)",
    "a signal": "import os, signal\nprint('x', flush=True)\nos.kill(os.getpid(), signal.SIGTERM)",
    "standard input": "print(input().upper())\nimport sys\nprint(sys.stdin.read(), file=sys.stderr)",
    "a module beside it": "import beside\nprint(beside.value, beside.__file__)",
    "where modules are": "import sys, os\nprint(sys.path[0] == os.path.dirname(os.path.abspath(__file__)))",
    "pickled": "import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))) is A)",
    "a process": (
        "import multiprocessing\ndef double(n):\n    return n * 2\n"
        "if __name__ == '__main__':\n    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
        "        print(pool.map(double, [1, 2]))"
    ),
    "a fork": "import os\nif os.fork():\n    os.wait()\n    print('parent')\nelse:\n    print('child')",
    "a loop of events": "import asyncio\nasync def f():\n    return await asyncio.sleep(0, 5)\nprint(asyncio.run(f()))",
    "an error that is depyf's": "import depyf\nraise depyf.DecompilationError('mine')",
    "latin": "# -*- coding: latin-1 -*-\nprint(ascii('\xe9'))",
}

MORE = r"""
# ---- a hook that fails
import sys
def hook(*seen):
    raise KeyError('hook')
sys.excepthook = hook
1 / 0
# ---- a hook that exits
import sys
sys.excepthook = lambda *seen: sys.exit(9)
1 / 0
# ---- a hook that looks back
import sys
sys.excepthook = lambda *seen: print(sys.last_value, seen[1] is sys.last_value)
1 / 0
# ---- forked workers
import multiprocessing
def double(n):
    return n * 2
if __name__ == '__main__':
    with multiprocessing.get_context('fork').Pool(2) as pool:
        print(pool.map(double, [1, 2]))
# ---- futures
import concurrent.futures, multiprocessing
def double(n):
    return n * 2
if __name__ == '__main__':
    context = multiprocessing.get_context('forkserver')
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        print(list(pool.map(double, [1, 2])))
# ---- a class in a process
import multiprocessing
class A:
    pass
def work(queue, one):
    queue.put((type(one) is A, A.__module__))
if __name__ == '__main__':
    context = multiprocessing.get_context('spawn')
    queue = context.Queue()
    process = context.Process(target=work, args=(queue, A()))
    process.start()
    print(queue.get())
    process.join()
    print(process.exitcode)
# ---- itself again
import subprocess, sys
if sys.argv[1] == 'again':
    print(__name__, sys.argv[1:])
    sys.exit(5)
done = subprocess.run([sys.executable, __file__, 'again'], capture_output=True, text=True)
print(done.stdout, done.returncode)
# ---- in place of itself
import os, sys
if sys.argv[-1] != 'again':
    os.execv(sys.executable, [sys.executable, *sys.argv, 'again'])
print(sys.argv)
# ---- warnings
import warnings
def f():
    warnings.warn('old', DeprecationWarning, stacklevel=2)
f()
warnings.warn('careful')
print(1 is 1)
# ---- a crash
import os
print('x', flush=True)
os.abort()
# ---- a thread that fails
import threading
t = threading.Thread(target=lambda: 1 / 0)
t.start()
t.join()
print('after')
# ---- a finalizer that fails
class A:
    def __del__(self):
        1 / 0
a = A()
del a
print('after')
# ---- an exit function that fails
import atexit
atexit.register(lambda: 1 / 0)
print('main')
# ---- an interrupt in a loop of events
import asyncio, os, signal
async def f():
    os.kill(os.getpid(), signal.SIGINT)
    await asyncio.sleep(5)
asyncio.run(f())
# ---- a handler of a signal
import os, signal
signal.signal(signal.SIGTERM, lambda number, frame: print(number, frame.f_code.co_name))
os.kill(os.getpid(), signal.SIGTERM)
print('after')
# ---- streams that are closed
import sys
print('x')
sys.stdout.close()
sys.stderr.close()
# ---- its own source
import inspect
def f():
    return 1
print(inspect.getsource(f), inspect.getmodule(f).__name__)
# ---- settings
import gc, signal, sys, threading
print(sys.flags, gc.isenabled(), gc.get_threshold(), sys.getrecursionlimit())
print(sys.gettrace(), sys.excepthook is sys.__excepthook__, threading.active_count())
print(signal.getsignal(signal.SIGINT), sys.stdout.encoding, sys.stdout.line_buffering)
"""
PROGRAMS.update(re.findall(r"^# ---- (.*)\n((?:(?!# ----).*\n)*)", MORE, re.MULTILINE))


def outcome(*words, folder, given="one\ntwo\n"):
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    done = subprocess.run(
        [sys.executable, *words], cwd=str(folder), input=given, capture_output=True, encoding="utf-8",
        env=environment, timeout=300,
    )  # fmt: skip
    return done.returncode, done.stdout, re.sub("0x[0-9a-f]+", "0x", done.stderr)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "beside.py").write_text("value = 7\n")
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("print('package', __name__)\n")
    (package / "__main__.py").write_text("import sys\nfrom .part import value\nprint(value, sys.argv[1:])\n")
    (package / "part.py").write_text("value = 5\nif __name__ == '__main__':\n    print(__spec__.name, __package__)\n")
    (tmp_path / "empty").mkdir()
    (package / "broken.py").write_text("raise RuntimeError('at import')\n")
    return tmp_path


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_script_does_the_same(name, folder):
    (folder / "program.py").write_bytes(PROGRAMS[name].encode("latin-1"))
    words = ["program.py", "--help", "-m", "x y"]
    assert outcome("-m", "depyf", "run", "-q", *words, folder=folder) == outcome(*words, folder=folder)
    assert not (folder / "depyf_report").exists()


@pytest.mark.parametrize(
    "words",
    [("-m", "package", "a", "-q"), ("-m", "package.part"), ("-m", "package.broken"), ("-m", "json.tool", "--help"),
     ("-c", "import sys; print(sys.argv)", "b"),
     ("-c", "import beside, sys; print(beside.value, repr(sys.path[0]), sorted(globals()))"), ("-c", "1 / 0")],
)  # fmt: skip
def test_a_module_and_a_text_do_the_same(words, folder):
    code, out, err = outcome("-m", "depyf", "run", "-q", *words, folder=folder)
    plain = outcome(*words, folder=folder)
    assert (code, out) == plain[:2]
    # The interpreter's own traceback begins in its runpy.
    assert err == plain[2] or "runpy" in plain[2] and err.splitlines()[-3:] == plain[2].splitlines()[-3:]


SHOWS = "import beside, sys\nprint(__name__, __file__, repr(__package__), sys.argv, sys.path[0], sorted(globals()))"


@pytest.mark.parametrize("kind", ["folder", "zip", "pyz", "stdin"])
def test_folders_archives_and_standard_input_do_the_same(kind, folder):
    (folder / "app").mkdir()
    (folder / "app" / "__main__.py").write_text(SHOWS + "\n1 / 0\n")
    (folder / "app" / "beside.py").write_text("")
    if kind in ("zip", "pyz"):
        interpreter = "/usr/bin/python" if kind == "pyz" else None
        zipapp.create_archive(folder / "app", folder / "app.zip", interpreter)
    name = {"folder": "./app", "stdin": "-"}.get(kind, "app.zip")
    given = SHOWS + "\n1 / 0\n"
    found = outcome("-m", "depyf", "run", "-q", name, "a b", folder=folder, given=given)
    code, out, err = outcome(name, "a b", folder=folder, given=given)
    assert found[:2] == (code, out) and code == 1 and out
    assert found[2] == err or "runpy" in err and found[2].splitlines()[-2:] == err.splitlines()[-2:]


@pytest.mark.parametrize(
    ("words", "says"),
    [(["nowhere.py"], "can't open nowhere.py: No such file"), (["-m", "no.such.module"], "no.such"),
     (["empty"], "can't find '__main__' in empty"), ([], "what to run?"), (["-m", "beside.x"], "beside")],
)  # fmt: skip
def test_what_cannot_be_run_is_said(words, says, folder):
    code, out, err = outcome("-m", "depyf", "run", *words, folder=folder)
    assert (code, out) == (2, "") and says in err and err.count("\n") == 1


def test_a_program_without_torch_is_told_so_and_imports_none(folder):
    code = "import sys, atexit; atexit.register(lambda: print('torch' in sys.modules))"
    found = outcome("-m", "depyf", "run", "-c", code, folder=folder)
    assert found == (0, "False\n", "depyf: nothing was compiled by torch.compile\n")


def test_a_folder_without_a_report_is_told_so(folder):
    code, out, err = outcome("-m", "depyf", "report", "nowhere", folder=folder)
    assert (code, out) == (2, "") and "no folder or file nowhere" in err and "depyf run -o nowhere PROGRAM" in err


def test_the_program_begins_without_the_decompiler_and_torch(folder):
    code = "import sys; print([name for name in sys.modules if name.startswith(('depyf.dec', 'depyf.exp', 'torch'))])"
    assert outcome("-m", "depyf", "run", "-q", "-c", code, folder=folder) == (0, "[]\n", "")


@pytest.mark.parametrize("words", [("spawn",), ("forkserver", "too")])
def test_processes_that_are_spawned_have_a_recording_each(words, folder):
    shutil.copy(SCRIPTS["pools"], folder / "program.py")
    status, out, err = outcome("-m", "depyf", "run", "-o", "out", "program.py", *words, folder=folder)
    assert (status, out) == outcome("program.py", *words, folder=folder)[:2], err
    assert len(list((folder / "out").rglob("remarks.json"))) == 1 + len(words)
    assert err.count("another process: 1 function compiled") == 2
    assert ("depyf: 1 function compiled" in err) == (len(words) == 2)
