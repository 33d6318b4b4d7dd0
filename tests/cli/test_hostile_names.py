"""Every command on files whose names, inside and outside, hold controls: no control is printed, and no line forged."""

from __future__ import annotations

import importlib.util
import json
import marshal
import types
import zipfile
from pathlib import Path

import pytest
import recorded_compilers

from depyf.cli import main

FORGED = "# FORGED: all proven"
CONTROLS = "\r\x1b[2J\x1b]0;t\x07\x08\x7f\x85\x9b1m\u061c\u200b\u200f\u202a\u202e\u2028\u2029\u2066\u2069\ufeff\ud800"
NAME = f"n\n{FORGED}\n{CONTROLS}"
IN_FILE_NAMES = CONTROLS.replace("\ud800", "")
SOURCE = """\
import module_name
class Class_name:
    field_name = module_name.x
def function_name(variable, *, keyword=1):
    free = variable
    if free.attribute_name:
        try:
            return lambda keyword_name: free(keyword_name=function_name, s='constant') + global_name
        except global_name as caught:
            raise
"""
WORDS = ("module_name", "Class_name", "field_name", "variable", "free", "function_name", "attribute_name",
         "keyword_name", "global_name", "caught", "keyword", "constant")  # fmt: skip


def renamed(value, word):
    """Code with ``word`` replaced by the hostile name wherever it stands."""
    if isinstance(value, str):
        return value.replace(word, CONTROLS if word == "constant" else NAME)  # a literal can have lines of its own
    if isinstance(value, (tuple, frozenset)):
        return type(value)(renamed(one, word) for one in value)
    if not isinstance(value, types.CodeType):
        return value
    fields = ["co_name", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_consts"]
    fields += ["co_qualname"] * hasattr(value, "co_qualname")
    changed = {field: renamed(getattr(value, field), word) for field in fields}
    return value.replace(**changed, co_filename=renamed(value.co_filename, word))


def pyc(code):
    return importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(code)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A compiled file for each word, all in one folder and one archive, under hostile names too."""
    path = tmp_path_factory.mktemp("hostile")
    code = compile(SOURCE, "file_name.py", "exec")
    (path / "tree").mkdir()
    for word in (*WORDS, "file_name"):
        data = pyc(renamed(code, word))
        (path / f"{word}.pyc").write_bytes(data)
        (path / "tree" / f"{word}{NAME.replace(chr(0xD800), '')[:60]}.pyc").write_bytes(data)
    every = code
    for word in WORDS:
        every = renamed(every, word)
    (path / "every.pyc").write_bytes(pyc(every))
    (path / "tree" / f"b\n{FORGED}{IN_FILE_NAMES}.pyc").write_bytes(pyc(code)[:-9])
    with zipfile.ZipFile(path / "archive.zip", "w") as archive:
        archive.writestr(f"m/n\n{FORGED}\n{IN_FILE_NAMES}.pyc", pyc(every))
        archive.writestr(f"m/b\n{FORGED}\n{IN_FILE_NAMES}.pyc", pyc(code)[:-9])
    (path / f"f\n{FORGED}\n{IN_FILE_NAMES}.py").write_text(f"x = '{IN_FILE_NAMES}' is 5\ny = = '\x1b[2J'\n")
    (path / f"g\n{FORGED}\n{IN_FILE_NAMES}.py").write_text("x = 1\n")
    return path


def is_clean(text: str) -> bool:
    lines = text.split("\n")
    assert [line for line in lines if line.lstrip(" |").startswith("# FORGED")] == []
    assert sorted({char for line in lines for char in line if not char.isprintable()}) == []
    return True


def check(capfdbinary, *arguments: str) -> str:
    """Run a command; what it prints is clean. Its standard output is returned."""
    try:
        status = main(list(arguments))
    except SystemExit as error:
        status = error.code
    out, err = (text.decode("utf-8") for text in capfdbinary.readouterr())
    assert status in (0, 1, 2, 3) and "Traceback" not in err, err
    assert is_clean(out) and is_clean(err)
    return out


SINGLE = [
    ["decompile", "FILE"], ["decompile", "FILE", "--verdicts"], ["decompile", "FILE", "--steps"],
    ["decompile", "FILE", "--header", "--linemap", "--layout", "compact"], ["decompile", "FILE", "--json", "--linemap"],
    ["decompile", "FILE", "--check", "--stop-after", "load"], ["decompile", "FILE", "--stop-after", "lift:fold"],
    ["decompile", "FILE", "--budget", "0", "--no-strict"], ["decompile", "FILE", "--budget", "0"],
    ["decompile", "FILE:nothing"], ["decompile", "FILE:variables"], ["decompile", f"FILE:{NAME}"],
    ["decompile", "FILE:<lambda>"], ["disasm", "FILE"], ["disasm", "FILE", "--cfg"], ["disasm", "FILE:wrong"],
    ["verify", "FILE"], ["verify", "FILE", "--json"], ["verify", "FILE", "--sarif"], ["verify", "FILE", "--decompile"],
    ["diff", "FILE", "every.pyc"], ["diff", "every.pyc", "FILE"],
]  # fmt: skip


@pytest.mark.parametrize("arguments", SINGLE, ids=" ".join)
def test_a_file(folder, capfdbinary, monkeypatch, arguments):
    monkeypatch.chdir(folder)
    for word in (*WORDS, "file_name", "every"):
        check(capfdbinary, *(one.replace("FILE", f"{word}.pyc") for one in arguments))


MANY = [
    ["decompile", "tree", "-o", "OUT"], ["decompile", "archive.zip", "every.pyc", "-o", "OUT"],
    ["decompile", "tree", "--json"], ["decompile", "tree", "--list"], ["decompile", "archive.zip", "--list"],
    ["verify", "tree"], ["verify", "archive.zip", "-v"], ["verify", "tree", "archive.zip", "--json"],
    ["verify", "tree", "archive.zip", "--sarif"], ["verify", ".", "-v", "--decompile"],
    ["verify", f"no\n{FORGED}\x1b"], ["decompile", f"no\n{FORGED}\x1b.pyc"], ["decompile", f"no\n{FORGED}\x1b"],
    ["disasm", f"no\n{FORGED}\x1b.pyc"], ["diff", f"no\n{FORGED}\x1b"], ["report", f"no\n{FORGED}\x1b"],
    ["decompile", "every.pyc", f"--no\n{FORGED}\x1b"], [f"no\n{FORGED}\x1b"],
    ["decompile", "every.pyc", "-o", f"no\n{FORGED}\x1b/x/y"],
    ["decompile", "every.pyc", "--python", f"no\n{FORGED}\x1b"],
    ["decompile", f"f\n{FORGED}\n{IN_FILE_NAMES}.py"], ["decompile", f"g\n{FORGED}\n{IN_FILE_NAMES}.py", "--header"],
    ["disasm", f"g\n{FORGED}\n{IN_FILE_NAMES}.py"], ["verify", f"g\n{FORGED}\n{IN_FILE_NAMES}.py"],
    ["run", f"no\n{FORGED}\x1b.py"], ["run", "-m", f"no\n{FORGED}\x1b"],
]  # fmt: skip


@pytest.mark.parametrize("arguments", MANY, ids=lambda words: ascii(" ".join(words)))
def test_many_files_and_errors(folder, capfdbinary, monkeypatch, tmp_path, arguments):
    monkeypatch.chdir(folder)
    check(capfdbinary, *(str(tmp_path / "out") if one == "OUT" else one for one in arguments))
    for file in tmp_path.rglob("*.py"):
        assert is_clean(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("version", ["3.8", "3.10", "3.11", "3.13", "3.14"])
@pytest.mark.parametrize("arguments", SINGLE[:3] + SINGLE[13:15] + SINGLE[16:], ids=" ".join)
def test_files_of_other_versions(folder, capfdbinary, monkeypatch, tmp_path, version, arguments):
    """A short name with controls in place of another, in the bytes."""
    case = json.loads((recorded_compilers.FOLDER / "behavior.json").read_text(encoding="utf-8"))
    data = recorded_compilers.unpacked(case["codes"][version])
    for name in (b"ValueError", b"handlers_are_last", b"file"):
        assert name in data
        data = data.replace(name, b"\n# FORGED\x7f\r"[: len(name)].ljust(len(name), b"\x1b"))
    (tmp_path / "file.bin").write_bytes(data)
    (tmp_path / "every.pyc").write_bytes((folder / "every.pyc").read_bytes())
    monkeypatch.chdir(tmp_path)
    words = [one.replace("FILE", "file.bin") for one in arguments]
    check(capfdbinary, *words, *(["--python", version] if words[0] in ("decompile", "disasm") else []))


def test_the_graph_is_one_for_graphviz(folder, capfdbinary, monkeypatch):
    """Quotes, backslashes, and what Graphviz reads as an entity or an escape, are text."""
    code = compile("def f():\n    return x\n", "m.py", "exec")
    name = 'a"b\\N\\"&#27;<b>];\n'
    inner = code.co_consts[0].replace(co_name=name, co_names=(name,))
    rest = code.co_consts[1:]
    if hasattr(inner, "co_qualname"):
        inner = inner.replace(co_qualname=name)
    else:  # the interpreter is given it as a constant
        rest = tuple(name if constant == "f" else constant for constant in rest)
    monkeypatch.chdir(folder)
    Path("graph.pyc").write_bytes(pyc(code.replace(co_consts=(inner, *rest))))
    out = check(capfdbinary, "disasm", "graph.pyc", "--cfg")
    assert '    label="a\\"b\\\\N\\\\\\"&amp;#27;<b>];\\\\n";\n' in out


def test_the_test_sees_a_control_and_a_forged_line():
    for text in ("a\x1b", "a\n# FORGED: all proven", "\u202e"):
        with pytest.raises(AssertionError):
            is_clean(text)
