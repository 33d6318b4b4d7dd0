"""`depyf disasm`: instructions as they are stored, beside the canonical ones."""

import dis
import json.decoder
import re
import sys
import types

import pytest
from recorded_compilers import recorded_code

from depyf.cli import main
from depyf.cli.disassembly import dot, listing
from depyf.decompiler.bytecode import load

SOURCE = """\
def f(a):
    try:
        return a["\\n"]
    except KeyError:
        return lambda: a
"""


def code_objects(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from code_objects(constant)


def stored(lines):
    """Offset, name and argument of each instruction, by code object."""
    found = []
    for line in lines:
        if line and not line.startswith(" "):
            found.append([])
        match = re.match(r"  [ \d]{5} +(\d+)  (\w+) (\d+)", line)
        if match:
            found[-1].append((int(match[1]), match[2], int(match[3])))
    return found


def test_what_is_stored_is_what_dis_reads():
    with open(json.decoder.__file__) as file:
        module = compile(file.read(), "decoder.py", "exec")
    expected = [[(one.offset, one.opname, one.arg or 0) for one in dis.get_instructions(code)]
                for code in code_objects(module)]  # fmt: skip
    assert stored(listing(load(module))) == expected
    assert sum(map(len, expected)) > 500


def test_each_canonical_instruction_is_there_once_and_blocks_are_marked():
    lines = listing(load(compile(SOURCE, "f.py", "exec")))
    found = (re.search(r"[ >] {0,4}(\d+) [A-Z_]+", line[43:]) for line in lines)
    assert [match[1] for match in found if match].count("0") == 3  # of each code object
    assert any("> " in line and "LOAD_FAST 'a'" not in line for line in lines)
    assert any("(raises to" in line for line in lines)


@pytest.mark.parametrize("version", [(3, 8), (3, 11), (3, 14)], ids=str)
def test_code_of_other_versions(version):
    lines = listing(recorded_code("behavior", version))
    assert "CPython {}.{}".format(*version) in lines[0]
    assert not [line for line in lines if "no canonical instructions" in line]


def test_code_that_can_not_be_decoded_says_so():
    raw = load(compile("x = 1", "x.py", "exec"))
    raw.bytecode = b"\xff\x00\xff"
    lines = listing(raw)
    assert lines[-1].startswith("  no canonical instructions: ")
    assert any("half an instruction" in line for line in lines)


def test_the_graph_is_one_for_graphviz():
    text = "\n".join(dot(load(compile(SOURCE, "f.py", "exec"))))
    assert text.startswith("digraph code {") and text.endswith("}")
    assert text.count("{") == text.count("}") == 4
    assert "[label=\"raises\" style=dashed]" in text and r"'\\n'" in text
    names = set(re.findall(r'^    "([\d.]+)" \[', text, re.M))
    assert {name for pair in re.findall(r'"([\d.]+)" -> "([\d.]+)"', text) for name in pair} <= names


def test_the_command(tmp_path, capsys):
    path = tmp_path / "f.py"
    path.write_text(SOURCE)
    assert main(["disasm", f"{path}:f"]) == 0
    assert capsys.readouterr().out.startswith("f: CPython ")
    assert main(["disasm", "--cfg", str(path)]) == 0
    assert capsys.readouterr().out.startswith("digraph")
    assert main(["disasm", "--import", "json:JSONDecoder"]) == 2
    assert "no code of its own" in capsys.readouterr().err
    assert main(["disasm", str(tmp_path / "none.py")]) == 2


def test_a_file_that_can_not_be_imported_is_not_run(tmp_path, capsys):
    path = tmp_path / "bad.py"
    path.write_text("raise SystemExit(7)\n")
    assert main(["disasm", str(path)]) == 0
    assert "RAISE" in capsys.readouterr().out


DRAW = """\
#!{python}
import sys
text = sys.stdin.read()
assert sys.argv[1:] == ["-Tsvg"], sys.argv
if "{fails}":
    sys.exit("syntax error in line 1")
print("<svg>" + str(text.count("->")) + "</svg>")
"""


@pytest.mark.parametrize("fails", ["", "yes"])
def test_svg_is_drawn_by_dot(fails, tmp_path, monkeypatch, capsys):
    """A stand-in for Graphviz, which need not be installed: it gets what --cfg prints."""
    program = tmp_path / "dot"
    program.write_text(DRAW.format(python=sys.executable, fails=fails))
    program.chmod(0o755)
    (tmp_path / "m.py").write_text(SOURCE)
    monkeypatch.setenv("PATH", str(tmp_path))
    status = main(["disasm", "--svg", f"{tmp_path}/m.py"])
    output = capsys.readouterr()
    if fails:
        assert (status, output.out) == (2, "")
        assert "syntax error in line 1" in output.err
        return
    edges = "\n".join(dot(load(compile(SOURCE, "m.py", "exec")))).count("->")
    assert (status, output.out) == (0, f"<svg>{edges}</svg>\n")
    assert edges > 0


def test_svg_without_graphviz(tmp_path, monkeypatch, capsys):
    (tmp_path / "m.py").write_text(SOURCE)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert main(["disasm", "--svg", f"{tmp_path}/m.py"]) == 2
    assert "the program dot of Graphviz, which is not on PATH" in capsys.readouterr().err


def test_operands_of_any_number_of_bytes():
    """Shown as the interpreter would read them, in 32 bits; Python does not print an int of thousands of digits."""
    raw = load(compile("def f(a): return a", "f", "exec").co_consts[0])
    extended = bytes([raw.table.number("EXTENDED_ARG"), 255])
    raw.bytecode = raw.bytecode[:-4] + extended * 6000 + raw.bytecode[-4:]  # before the last two instructions
    assert re.search(rf"LOAD_FAST\w* {0xFFFFFF00}\b", "\n".join(listing(raw)))
