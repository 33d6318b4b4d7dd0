"""Output of the command line: by one module, escaped by the line, in any encoding, until a signal or a closed pipe."""

from __future__ import annotations

import ast
import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from depyf import cli, terminal
from depyf.errors import DepyfError

PACKAGE = Path(terminal.__file__).parent

SYS = ast.dump(ast.parse("sys", mode="eval").body)
STREAMS = {"stdout", "stderr", "__stdout__", "__stderr__"}
ELSEWHERE = {
    "terminal.py": "the writer",
    "__main__.py": "a line of ours, where the writer can't be imported",
    "decompiler/proof/compile_worker.py": "a process of its own: answers through a pipe",
    "decompiler/driver/stepper.py": "the default of an argument; the command line gives the writer",
    "explain/recording/breakpoints.py": "speaks beside pdb, in the user's program",
    "run/program.py": "writes what the interpreter would for the user's program",
    "run/command.py": "flushes the streams of the user's program, and asks whether they are terminals",
    "run/progress.py": "writes to the terminal's descriptor from a thread that must hold no lock",
    "batch/progress.py": "asks whether standard error is a terminal",
}


def writes(tree: ast.AST) -> bool:
    """Whether a module calls print, or names a standard stream or a descriptor's."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            return True
        if isinstance(node, ast.Attribute) and node.attr in STREAMS and ast.dump(node.value) == SYS:
            return True
        if isinstance(node, ast.ImportFrom) and node.module == "sys" and STREAMS & {one.name for one in node.names}:
            return True
    return False


def test_one_module_writes():
    found = {
        str(path.relative_to(PACKAGE).as_posix())
        for path in PACKAGE.rglob("*.py")
        if writes(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == set(ELSEWHERE)


@pytest.mark.parametrize("text", ["print(1)", "import sys; sys.stderr.write('x')", "from sys import stdout"])
def test_a_module_that_writes_is_found(text):
    assert writes(ast.parse(text))
    assert not writes(ast.parse("self.print(x); sys.argv"))


CONTROLS = [*range(0x20), 0x7F, *range(0x80, 0xA0), 0x61C, 0xAD, *range(0x200B, 0x2010), *range(0x2028, 0x202F),
            *range(0x2060, 0x2070), 0xD800, 0xDFFF, 0xE000, 0xFEFF, 0xFE0F, 0x3164, 0x1160, 0xE0101]  # fmt: skip


@pytest.mark.parametrize("number", CONTROLS)
def test_each_control_is_escaped_on_one_line(number, capsys):
    terminal.say(f"a{chr(number)}b", "c")
    terminal.warn(f"a{chr(number)}b")
    out, err = capsys.readouterr()
    assert out == err + "c\n"
    assert err == "a" + ascii(chr(number))[1:-1] + "b\n"


def test_ordinary_text_is_left_as_it_is(capsys):
    terminal.say("Δx = 'naïve', имя, 名前 \\n \U0001f600")
    assert capsys.readouterr().out == "Δx = 'naïve', имя, 名前 \\n \U0001f600\n"


def test_colours_are_left_alone_and_other_controls_are_not(capsys):
    terminal.say_coloured("\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b[2J\n# all proven")
    assert capsys.readouterr().out == "\x1b[31mred\x1b[0m \\x1b]0;title\\x07 \\x1b[2J\\n# all proven\n"


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8", "utf-16"])
def test_reports_fit_the_encoding_and_text_is_utf8(monkeypatch, encoding):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
    terminal.say("é → 1")
    shown = "é → 1\n".encode(encoding, "backslashreplace")
    assert raw.getvalue() == shown
    terminal.write_text("x = '→'\n")
    assert raw.getvalue() == shown + b"x = '\xe2\x86\x92'\n"


def test_a_stream_without_bytes_takes_text(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    terminal.write_text("→\n")
    terminal.say("→")
    assert sys.stdout.getvalue() == "→\n→\n"


def test_a_stream_that_is_gone_is_no_trouble_and_one_that_is_full_is_named(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    terminal.say("x")
    terminal.write_text("x")

    class Full(io.RawIOBase):
        def writable(self):
            return True

        def write(self, data):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BufferedWriter(Full())))
    with pytest.raises(DepyfError, match="can't write to standard output: No space left on device"):
        terminal.say("x")


def take_interrupts():
    """Run in a child: in the background of a shell, it inherits that SIGINT is ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


COMMAND = [sys.executable, "-m", "depyf"]
PROGRAM = "".join(f"def f{n}(x):\n    for y in x:\n        if y: print(x, {n})\n" for n in range(40))


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A folder with more files than can be done before a signal comes."""
    tmp_path = tmp_path_factory.mktemp("signals")
    (tmp_path / "many").mkdir()
    for number in range(300):
        (tmp_path / "many" / f"m{number:03}.py").write_text(PROGRAM.replace("print", f"print{number}"))
    done = subprocess.run([sys.executable, "-m", "compileall", "-q", "-b", "many"], cwd=tmp_path)
    assert done.returncode == 0
    return tmp_path


def until(is_so):
    end = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize(
    "number, status, said", [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
def test_a_signal_ends_a_batch_with_one_line_and_whole_files(many, number, status, said):
    out = many / f"out{status}"
    words = [*COMMAND, "decompile", "many", "-o", out.name]
    running = subprocess.Popen(words, cwd=many, stderr=subprocess.PIPE, text=True, start_new_session=True,
                               preexec_fn=take_interrupts)  # fmt: skip
    until(lambda: (out / "m005.py").exists())
    os.killpg(running.pid, number)
    _, errors = running.communicate(timeout=60)
    assert (running.returncode, errors) == (status, f"depyf: {said}\n")
    written = sorted(out.iterdir())
    assert 0 < len(written) < 300 and {path.suffix for path in written} <= {".py", ".jsonl"}
    for path in out.glob("*.py"):
        assert "# all 41 are proven" in path.read_text()
    with pytest.raises(ProcessLookupError):  # no child is left
        until(lambda: os.killpg(running.pid, 0))


@pytest.mark.parametrize("words", ["decompile many/m001.py --steps", "verify many -v", "disasm many/m001.py"])
def test_a_closed_pipe_is_silent(many, words):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    running = subprocess.Popen([*COMMAND, *words.split()], cwd=many, text=True, **pipes)
    running.stdout.close()
    assert (running.stderr.read(), running.wait(60)) == ("", 141)


def test_nobody_who_reads_errors_is_no_trouble_either(many):
    running = subprocess.Popen([*COMMAND, "decompile", "none.py"], cwd=many, stderr=subprocess.PIPE, text=True)
    running.stderr.close()
    assert running.wait(60) == 141


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_source_is_utf8_in_any_locale(tmp_path, encoding):
    (tmp_path / "m.py").write_text("x = '→ é \\ud800'\ny = None\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "LC_ALL": "C", "PYTHONUTF8": "0"}
    done = subprocess.run([*COMMAND, "decompile", "m.py"], cwd=tmp_path, env=environment, capture_output=True)
    assert (done.returncode, done.stdout.replace(b'"', b"'")) == (
        0, b"x = '\xe2\x86\x92 \xc3\xa9 \\ud800'\ny = None\n"
    )  # fmt: skip
    done = subprocess.run([*COMMAND, "disasm", "m.py"], cwd=tmp_path, env=environment, capture_output=True)
    assert done.returncode == 0 and "'→ ".encode(encoding, "backslashreplace") in done.stdout


def test_an_interrupt_in_a_text_that_is_run_is_no_other(tmp_path):
    """CPython would end by the signal. `collections.namedtuple`, which modules call at their import, runs a text."""
    (tmp_path / "program.py").write_text(
        "import os, signal, sys\nfrom depyf import cli\ndef stop(options):\n"
        "    exec('os.kill(os.getpid(), signal.SIGINT)\\nfor i in range(10**6): pass')\n"
        "cli._COMMANDS['doctor'] = stop\nsys.exit(cli.main(['doctor']))\n"
    )
    done = subprocess.run([sys.executable, "-m", "program"], cwd=tmp_path, capture_output=True, text=True,
                          preexec_fn=take_interrupts)  # fmt: skip
    assert (done.returncode, done.stderr) == (130, "depyf: interrupted\n")


def test_an_error_of_ours_is_one_line(monkeypatch, capsys):
    def broken(options):
        raise RuntimeError("\x1b[2J\n# all proven")

    monkeypatch.setitem(cli._COMMANDS, "doctor", broken)
    monkeypatch.delenv("DEPYF_TRACEBACK")
    assert cli.main(["doctor"]) == 2
    lines = capsys.readouterr().err.splitlines()
    told = "please report it, with what DEPYF_TRACEBACK=1 shows"
    assert lines == [f"depyf: internal error: RuntimeError: \\x1b[2J # all proven; {told}"]
