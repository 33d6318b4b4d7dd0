"""Source for other versions: compiled by whoever of them is on the machine, whatever that one does."""

from __future__ import annotations

import io
import marshal
import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from depyf.decompiler.bytecode import interpreters
from depyf.decompiler.bytecode.interpreters import HOST_VERSION, find_interpreter
from depyf.decompiler.bytecode.versions import TABLES
from depyf.decompiler.proof import compile_worker, compiler_pool
from depyf.decompiler.proof.compiler_pool import CompilerPool, NoInterpreter, OwnCompiler

REQUEST = {"source": "a = 1\n", "filename": "file", "flags": 0, "optimize": 0, "unit": None}
ABSENT = (3, 99)


@pytest.fixture
def pool(monkeypatch):
    """A pool that takes this interpreter for any version."""
    monkeypatch.setattr(compiler_pool, "find_interpreter", lambda version: sys.executable)
    pool = CompilerPool(limit=20)
    yield pool
    pool.close()


def test_a_text_is_compiled_in_another_process(pool):
    kind, data = pool.compile(REQUEST, HOST_VERSION)
    assert kind == "code"
    assert marshal.loads(data) == compile("a = 1\n", "file", "exec", dont_inherit=True)


def test_a_text_that_does_not_compile_says_why(pool):
    kind, text = pool.compile(dict(REQUEST, source="\na ="), HOST_VERSION)
    assert kind == "error"
    assert "does not compile" in text and "line 2" in text
    assert pool.compile(REQUEST, HOST_VERSION)[0] == "code"


@pytest.mark.parametrize("source", ["a\0b", "(" * 5000 + ")" * 5000, "\ud800", "a = " + "-" * 30000 + "1"])
def test_a_text_that_no_compiler_takes_costs_one_answer(pool, source):
    assert pool.compile(dict(REQUEST, source=source), HOST_VERSION)[0] == "error"
    assert pool.compile(REQUEST, HOST_VERSION)[0] == "code"


def test_processes_are_kept(pool):
    pool.compile(REQUEST, HOST_VERSION)
    (first,) = pool._idle[HOST_VERSION]
    pool.compile(REQUEST, HOST_VERSION)
    assert pool._idle[HOST_VERSION] == [first]


def test_a_process_that_died_is_replaced(pool):
    pool.compile(REQUEST, HOST_VERSION)
    (first,) = pool._idle[HOST_VERSION]
    first.process.kill()
    first.process.wait()
    assert pool.compile(REQUEST, HOST_VERSION)[0] == "code"
    assert first not in pool._idle[HOST_VERSION]


@pytest.mark.parametrize("body", ["import time; time.sleep(100)", "raise SystemExit", "print('no length', flush=True)"])
def test_a_process_that_does_not_answer_costs_one_answer(pool, body, tmp_path, monkeypatch):
    script = tmp_path / "script.py"
    script.write_text(body)
    monkeypatch.setattr(compiler_pool, "_SCRIPT", str(script))
    pool.limit = 2
    kind, text = pool.compile(REQUEST, HOST_VERSION)
    assert kind == "error" and "the compiler of CPython" in text
    assert not pool._idle.get(HOST_VERSION)
    monkeypatch.undo()
    monkeypatch.setattr(compiler_pool, "find_interpreter", lambda version: sys.executable)
    assert pool.compile(REQUEST, HOST_VERSION)[0] == "code"


def test_threads_get_their_own_answers(pool):
    wrong = []

    def ask(number: int) -> None:
        for step in range(10):
            value = 1000 * number + step
            _, data = pool.compile(dict(REQUEST, source=f"a = {value}"), HOST_VERSION)
            if value not in marshal.loads(data).co_consts:
                wrong.append(value)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_closing_ends_the_processes(pool):
    pool.compile(REQUEST, HOST_VERSION)
    (process,) = [compiler.process for compiler in pool._idle[HOST_VERSION]]
    pool.close()
    assert process.poll() is not None


def test_the_processes_end_with_ours(tmp_path):
    program = f"""
        from depyf.decompiler.proof import compiler_pool
        import sys
        compiler_pool.find_interpreter = lambda version: sys.executable
        compiler_pool.POOL.compile({REQUEST!r}, {HOST_VERSION!r})
        print(compiler_pool.POOL._idle[{HOST_VERSION!r}][0].process.pid)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True, timeout=60
    )
    assert done.returncode == 0
    with pytest.raises(OSError):
        os.kill(int(done.stdout), 0)


def test_no_interpreter_has_one_wording():
    with pytest.raises(NoInterpreter) as caught:
        CompilerPool().compile(REQUEST, ABSENT)
    assert caught.value.reason == "no CPython 3.99 found"


def test_the_worker_runs_on_every_interpreter_of_this_machine():
    pool = CompilerPool()
    unit = {"name": "f", "qualname": "C.f", "nested": False, "freevars": ("__class__",), "enclosing_class": None}
    answered = []
    for version in TABLES:
        if find_interpreter(version) is not None:
            answered.append(version)
            kind, value = pool.compile(dict(REQUEST, source="def f(self): return super().a", unit=unit), version)
            assert kind == "code", (version, value)
    pool.close()
    assert HOST_VERSION in answered


def test_messages_are_cut_nowhere():
    pipe = io.BytesIO()
    messages = [[b""], [b"x" * 100000], [b"code", b"\0" * 300, b"r"], []]
    for parts in messages:
        compile_worker.write_message(pipe, *parts)
    pipe.seek(0)
    assert [compile_worker.read_message(pipe) for _ in messages] == messages
    with pytest.raises(EOFError):
        compile_worker.read_message(pipe)


# Which interpreters there are


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """No interpreter anywhere but where a test puts one."""
    for name in ("APPDATA", "XDG_DATA_HOME", "UV_PYTHON_INSTALL_DIR", "PYENV_ROOT", "DEPYF_PYTHONS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    interpreters.forget_interpreters()
    yield tmp_path
    interpreters.forget_interpreters()


def pretend(path: Path, answer: str, status: int = 0) -> None:
    """A program that says it is an interpreter."""
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\necho '{answer}'\nexit {status}\n")
    path.chmod(0o755)


HONEST = "cpython 3 99 final somewhere"


def test_the_running_version_is_the_running_interpreter(nowhere):
    assert find_interpreter(HOST_VERSION) == sys.executable
    assert find_interpreter(ABSENT) is None


@pytest.mark.parametrize(
    "place, variable, value",
    [
        ("bin/python3.99", None, None),
        ("listed/python3.99", "DEPYF_PYTHONS", "listed"),
        ("listed/bin/python3.99", "DEPYF_PYTHONS", "listed"),
        ("listed/of-another-name", "DEPYF_PYTHONS", "listed/of-another-name"),
        ("home/.pyenv/versions/3.99.1/bin/python3.99", None, None),
        ("envs/versions/3.99.1/bin/python3.99", "PYENV_ROOT", "envs"),
        ("home/.local/share/uv/python/cpython-3.99.1-linux-x86_64-gnu/bin/python3.99", None, None),
        ("data/uv/python/cpython-3.99.1-linux-x86_64-gnu/bin/python3.99", "XDG_DATA_HOME", "data"),
        ("uv/cpython-3.99.1-linux-x86_64-gnu/bin/python3.99", "UV_PYTHON_INSTALL_DIR", "uv"),
    ],
)
def test_where_interpreters_are_looked_for(nowhere, monkeypatch, place, variable, value):
    pretend(nowhere / place, HONEST)
    if variable is not None:
        monkeypatch.setenv(variable, str(nowhere / value))
    assert find_interpreter(ABSENT) == str(nowhere / place)


@pytest.mark.parametrize(
    "answer, status",
    [("pypy 3 99 final x", 0), ("cpython 3 98 final x", 0), ("cpython 3 99 alpha x", 0), (HONEST, 1), ("hello", 0)],
)
def test_what_is_found_is_asked(nowhere, answer, status):
    pretend(nowhere / "bin" / "python3.99", answer, status)
    pretend(nowhere / "home/.pyenv/versions/3.99.0/bin/python3.99", HONEST)
    assert find_interpreter(ABSENT) == str(nowhere / "home/.pyenv/versions/3.99.0/bin/python3.99")


def test_the_newest_release_is_taken(nowhere):
    for release in ("3.99.2", "3.99.10", "3.99.9"):
        pretend(nowhere / f"home/.pyenv/versions/{release}/bin/python3.99", HONEST)
    found = find_interpreter(ABSENT)
    assert found is not None and "3.99.10" in found


def test_an_answer_is_remembered_until_told_to_forget(nowhere):
    assert find_interpreter(ABSENT) is None
    pretend(nowhere / "bin/python3.99", HONEST)
    assert find_interpreter(ABSENT) is None
    interpreters.forget_interpreters()
    assert find_interpreter(ABSENT) is not None


@pytest.mark.parametrize(
    "request_of",
    [
        {}, {"twice": True}, {"optimize": 2, "source": "assert a, 'text'\n"}, {"source": "a ="}, {"source": "a\0b"},
        {"source": "(" * 5000 + ")" * 5000}, {"source": "from __future__ import annotations\ndef f(x: int): pass\n"},
    ],
)  # fmt: skip
def test_this_interpreter_answers_as_a_process_does(pool, request_of):
    """What compiles where no process can be started, as in a browser."""
    request = dict(REQUEST, **request_of)
    (kind, own), (other_kind, other) = (one.compile(request, HOST_VERSION) for one in (OwnCompiler(), pool))
    assert kind == other_kind
    if kind == "error":
        assert own == other
    elif request.get("twice"):
        assert list(map(marshal.loads, own)) == list(map(marshal.loads, other))
    else:
        assert marshal.loads(own) == marshal.loads(other)  # which objects are marked as shared differs by process


def test_this_interpreter_has_no_other_version():
    with pytest.raises(NoInterpreter, match=r"no CPython 3\.99 found"):
        OwnCompiler().compile(REQUEST, ABSENT)


def test_on_webassembly_no_process_is_started():
    program = """
        import subprocess, sys

        def refuse(*args, **kwargs):
            raise AssertionError("a process was started")

        sys.platform = "emscripten"
        subprocess.Popen = refuse
        import depyf
        from depyf.decompiler.bytecode.interpreters import find_interpreter
        from depyf.decompiler.proof.compiler_pool import POOL, OwnCompiler

        assert isinstance(POOL, OwnCompiler)
        assert find_interpreter((3, 8)) is find_interpreter(sys.version_info[:2]) is None
        print(depyf.analyze(compile("def f(x): return [y for y in x]", "f.py", "exec")).proven)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, encoding="utf-8")
    assert done.stdout.strip() == "True", done.stderr
