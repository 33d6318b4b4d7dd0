"""What is in a compiled file and not in its source is found, on every CPython that is there."""

from __future__ import annotations

import marshal
import textwrap

import pytest

import depyf
import verify_attack
from depyf.decompiler.bytecode.interpreters import HOST_VERSION, find_interpreter
from depyf.decompiler.bytecode.versions import HOSTS, TABLES
from depyf.verification.compiling import Compiled, compiled
from depyf.verification.report import Loading, Status

READ = [version for version in TABLES if find_interpreter(version)]
SOURCE = '''\
import os


class Shop:
    """Sells."""

    def price(self, item, count=1):
        if count < 0:
            raise ValueError(count)
        try:
            return item.price * count
        except AttributeError:
            return 0


def main(names):
    assert names
    for name in names:
        print(name)
'''


def dotted(version):
    return "{}.{}".format(*version) if isinstance(version, tuple) else str(version)


def code_of(text):
    return compile(text, "mod.py", "exec", dont_inherit=True)


def planted(tmp_path, source, code, version=HOST_VERSION, flags=1, optimize=0):
    """A clean source beside a file with other code, which is not checked against it."""
    from depyf.decompiler.bytecode.code.formats import FORMATS

    (tmp_path / "mod.py").write_text(source)
    cache = tmp_path / "__pycache__"
    cache.mkdir(exist_ok=True)
    level = f".opt-{optimize}" if optimize else ""
    file = cache / "mod.cpython-{}{}{}.pyc".format(*version, level)
    magic = max(FORMATS[version].magic_numbers).to_bytes(2, "little") + b"\r\n"
    data = code if isinstance(code, bytes) else code.data if isinstance(code, Compiled) else marshal.dumps(code)
    file.write_bytes(magic + flags.to_bytes(4, "little") + bytes(8) + data)
    return file


def test_the_attack_knows_a_change_that_is_missed(tmp_path, monkeypatch):
    """The count of the next test would be worth nothing if it never rose."""
    from depyf.verification import check

    monkeypatch.setattr(check, "differences", lambda ours, source: [])
    _, missed = verify_attack.attack(HOST_VERSION, 20, 1, str(tmp_path))
    assert len(missed) == 20


@pytest.mark.parametrize("version", READ, ids=dotted)
def test_no_planted_change_is_missed(version, tmp_path):
    kinds, missed = verify_attack.attack(version, 60, 3, str(tmp_path))
    assert missed == []
    assert sum(kinds.values()) == 60
    assert len(kinds) >= (16 if version in HOSTS else 4)


@pytest.mark.parametrize("version", READ, ids=dotted)
@pytest.mark.parametrize("optimize", [0, 1, 2])
def test_the_statements_are_shown(version, optimize, tmp_path):
    evil = SOURCE.replace("        if count < 0:", "        os.system(item)\n        if count < 0:")
    file = planted(tmp_path, SOURCE, compiled(evil.encode(), "elsewhere.py", version, optimize), version, 1, optimize)
    report = depyf.verify_file(file)
    assert report.status is Status.DIFFERS
    assert report.loading is Loading.UNCHECKED
    assert (report.version, report.optimize) == (version, optimize)
    [change] = report.changes
    assert change.where == "Shop.price"
    assert [line.strip() for line in change.lines] == ["os.system(item)"]
    assert change.source_lines == ()
    assert change.line == 8


@pytest.mark.parametrize("version", READ, ids=dotted)
@pytest.mark.parametrize("optimize", [0, 1, 2])
def test_a_clean_file_is_identical(version, optimize, tmp_path):
    code = compiled(SOURCE.encode(), "/else/where.py", version, optimize)
    file = planted(tmp_path, SOURCE, code, version, 1, optimize)
    report = depyf.verify_file(file)
    assert (report.status, report.reasons, report.changes) == (Status.IDENTICAL, (), ())


@pytest.mark.parametrize("level", [1, 2])
def test_code_of_another_level_differs(level, tmp_path):
    """The plain name promises asserts; ``-OO`` takes docstrings away."""
    file = planted(tmp_path, SOURCE, compiled(SOURCE.encode(), "mod.py", HOST_VERSION, level))
    report = depyf.verify_file(file)
    assert report.status is Status.DIFFERS
    assert depyf.verify_file(file, optimize=level).status is Status.IDENTICAL


def test_an_argument_a_constant_and_a_function(tmp_path):
    evil = SOURCE.replace("count=1", "count=2").replace("print(name)", "print(name, end='')") + "def more(): pass\n"
    report = depyf.verify_file(planted(tmp_path, SOURCE, code_of(evil)))
    texts = [(change.where, [line.strip() for line in change.lines]) for change in report.changes]
    assert texts == [
        ("Shop", ["def price(self, item, count=2):"]),
        ("main", ["print(name, end='')"]),
        ("<module>", ["def more():", "pass"]),
    ]
    assert [change.source_lines for change in report.changes][2] == ()


def test_what_no_statement_shows_is_said_in_words(tmp_path):
    code = code_of(SOURCE)
    report = depyf.verify_file(planted(tmp_path, SOURCE, code.replace(co_stacksize=code.co_stacksize + 1)))
    assert report.status is Status.DIFFERS
    assert [change.what for change in report.changes] == ["<module>: other stack size"]


def test_bytes_behind_the_code(tmp_path):
    code = marshal.dumps(code_of(SOURCE))
    report = depyf.verify_file(planted(tmp_path, SOURCE, code + b"payload"))
    assert report.status is Status.DIFFERS
    assert report.reasons == ("7 bytes after the code",)


def test_a_file_that_is_very_large_is_not_read(tmp_path, monkeypatch):
    from depyf.verification import check

    monkeypatch.setattr(check, "read_code_and_end", None)
    code = code_of(SOURCE)
    report = depyf.verify_file(planted(tmp_path, SOURCE, code.replace(co_consts=(*code.co_consts, "x" * (2 << 20)))))
    assert report.status is Status.DIFFERS
    assert "where the source makes" in report.reasons[0]


def test_a_function_that_names_another_file(tmp_path):
    code = code_of(SOURCE)
    consts = tuple(one.replace(co_filename="x.py") if hasattr(one, "co_code") else one for one in code.co_consts)
    report = depyf.verify_file(planted(tmp_path, SOURCE, code.replace(co_consts=consts)))
    assert report.status is Status.DIFFERS
    assert "name of the source file" in report.reasons[0]


def test_other_lines_are_told_apart(tmp_path):
    code = code_of("def f(x):\n    return x\n")
    report = depyf.verify_file(planted(tmp_path, "# a comment\n\ndef f(x):\n    return x\n", code))
    assert report.status is Status.OTHER_LINES
    assert report.fine
    assert report.reasons == ("<module>: other line numbers", "f: other line numbers")


def test_other_code_that_does_the_same_is_proven(tmp_path):
    """As of another release of the compiler: here a NOP."""
    import opcode

    code = code_of("def f(x):\n    return x\n")
    [function] = [one for one in code.co_consts if hasattr(one, "co_code")]
    nop = bytes([opcode.opmap["NOP"], 0])
    head = function.co_code[:2] if "RESUME" in opcode.opmap else b""
    longer = function.replace(co_code=head + nop + function.co_code[len(head) :])
    changed = code.replace(co_consts=tuple(longer if one is function else one for one in code.co_consts))
    report = depyf.verify_file(planted(tmp_path, "def f(x):\n    return x\n", changed))
    assert report.status is Status.PROVEN
    assert report.reasons == ("f: other code",)


def test_a_source_that_does_not_compile_is_not_that_of_the_file(tmp_path):
    report = depyf.verify_file(planted(tmp_path, "x = (\n", code_of("steal()")))
    assert report.status is Status.DIFFERS
    assert "does not compile" in report.reasons[0]
    assert report.changes[0].lines == ("steal()",)


def test_a_source_in_another_encoding(tmp_path):
    text = "# -*- coding: latin-1 -*-\nname = 'é'\n".encode("latin-1")
    file = planted(tmp_path, "", code_of(text))
    (tmp_path / "mod.py").write_bytes(text)
    assert depyf.verify_file(file).status is Status.IDENTICAL


def test_sets_of_text_have_no_order(run_python, tmp_path):
    """Their order in a file depends on the hashes of the run that wrote it."""
    source = "def f(x):\n    return x in {'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'}\n"
    (tmp_path / "mod.py").write_text(source)
    for _ in range(3):
        done = run_python("import py_compile; py_compile.compile('mod.py', doraise=True)")
        assert done.returncode == 0, done.stderr
        assert [file.status for file in depyf.verify_tree(tmp_path).files] == [Status.IDENTICAL]


def test_an_operand_that_nothing_reads(tmp_path):
    """It would be a place to hide something, and no compiler writes it."""
    import opcode

    code = code_of("f()\n")
    at = 2 * code.co_code[::2].index(opcode.opmap["POP_TOP"]) + 1
    changed = code.replace(co_code=code.co_code[:at] + b"\7" + code.co_code[at + 1 :])
    report = depyf.verify_file(planted(tmp_path, "f()\n", changed))
    assert report.status is Status.DIFFERS


def test_nothing_is_executed(tmp_path):
    source = f"open({str(tmp_path / 'ran')!r}, 'w')\n"
    depyf.verify_file(planted(tmp_path, source, code_of(source + "x = 1\n")))
    assert not (tmp_path / "ran").exists()


def test_without_the_matching_python_nothing_is_fine(tmp_path, monkeypatch):
    from depyf.decompiler.proof import compiler_pool

    other = next(version for version in TABLES if version != HOST_VERSION)
    monkeypatch.setattr(compiler_pool, "find_interpreter", lambda version: None)
    monkeypatch.setattr(compiler_pool.POOL, "_idle", {})
    file = planted(tmp_path, SOURCE, marshal.dumps(code_of(SOURCE)), other)
    report = depyf.verify_file(file)
    assert report.status is Status.NOT_CHECKED
    assert report.reasons == ("no CPython {}.{} found".format(*other),)
    assert report.exit_status == 2


def test_a_few_lines_of_a_scanner(tmp_path):
    planted(tmp_path, SOURCE, code_of(SOURCE + textwrap.dedent("import socket\n")))
    found = [
        (change.where, line)
        for report in depyf.verify_tree(tmp_path).files
        if report.loading.possible and not report.fine
        for change in report.changes
        for line in change.lines
    ]
    assert found == [("<module>", "import socket")]
