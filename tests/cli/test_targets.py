"""What a user names on the command line is found without running it, or the error says what is there."""

from __future__ import annotations

import importlib.util
import marshal
import py_compile
import subprocess

import pytest

from depyf.decompiler.bytecode.code.formats import FORMATS
from depyf.decompiler.bytecode.interpreters import HOST_VERSION, find_interpreter
from depyf.targets import TargetError, find_target, split_target

PROGRAM = """
this_file.must_not_be_executed()

def outer(x):
    def inner(y):
        return x + y
    return inner

class Shape:
    def area(self):
        return (side for side in self.sides)

def twice(): return 1
def twice(): return 2
"""


@pytest.fixture
def program(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    return str(file)


@pytest.mark.parametrize(
    "name, line",
    [
        ("outer", 4),
        ("outer.<locals>.inner", 5),
        ("outer.inner", 5),
        ("Shape", 9),
        ("Shape.area", 10),
        ("Shape.area.<locals>.<genexpr>", 11),
        ("twice@14", 14),
    ],
)
def test_names_inside_a_file(program, name, line):
    code = find_target(f"{program}:{name}")
    assert code.co_firstlineno == line


def test_a_file_is_its_module(program):
    assert find_target(program).co_name == "<module>"


def test_a_pyc_of_this_python(program, tmp_path):
    compiled = py_compile.compile(program, cfile=str(tmp_path / "program.pyc"))
    assert find_target(f"{compiled}:Shape.area").co_name == "area"


def test_a_pyc_of_every_other_python(program, tmp_path):
    compiling = "import py_compile, sys; py_compile.compile(sys.argv[1], cfile=sys.argv[2], doraise=True)"
    for version in FORMATS:
        interpreter = find_interpreter(version)
        if interpreter is None or version == HOST_VERSION:
            continue
        compiled = str(tmp_path / f"{version[1]}.pyc")
        subprocess.run([interpreter, "-c", compiling, program, compiled], check=True)
        for name, line in (("outer.<locals>.inner", 5), ("Shape.area", 10), ("twice@14", 14)):
            code = find_target(f"{compiled}:{name}")
            assert (code.version, code.code, code.firstlineno) == (version, None, line)
        with pytest.raises(TargetError, match=r"did you mean Shape\.area"):
            find_target(f"{compiled}:Shape.aera")


def test_a_module_is_found_without_its_import(run_python, tmp_path):
    (tmp_path / "lazy.py").write_text("imported.by_mistake\ndef f(): pass\n")
    done = run_python("from depyf.targets import find_target\nprint(find_target('lazy:f').co_name)\n")
    assert done.stdout == "f\n", done.stderr


def test_what_exists_only_at_run_time_is_imported(run_python, tmp_path):
    (tmp_path / "made.py").write_text("import dataclasses\n@dataclasses.dataclass\nclass P:\n    x: int\n")
    done = run_python("from depyf.targets import find_target\nprint(find_target('made:P.__init__').__qualname__)\n")
    assert "__init__" in done.stdout, done.stderr


@pytest.mark.parametrize(
    "target, says",
    [
        ("{program}:Shape.aera", "did you mean Shape.area"),
        ("{program}:area", "did you mean Shape.area"),
        ("{program}:twice", "has 2 code objects called twice; pick one by its line: twice@13, twice@14"),
        ("{folder}/nothing.py", "can't read"),
        ("{folder}/bad.py", "is not Python source"),
        ("{folder}/text.pyc", "is not a .pyc file"),
        ("{folder}/old.pyc", "was made by CPython 2.7 (magic number 62211)"),
        ("{folder}/cut.pyc", "is damaged"),
        ("{folder}/number.pyc", "holds a int, not a code object"),
        ("no_such_module_at_all:f", "there is no file and no module called no_such_module_at_all"),
        ("math:sin_of_things", "has no Python code called sin_of_things"),
    ],
)
def test_errors_say_what_was_looked_for_and_what_is_there(program, tmp_path, target, says):
    header = importlib.util.MAGIC_NUMBER + bytes(12)
    (tmp_path / "bad.py").write_text("def f(:\n")
    (tmp_path / "text.pyc").write_bytes(b"hello world, this is text")
    (tmp_path / "old.pyc").write_bytes((62211).to_bytes(2, "little") + b"\r\n" + bytes(12))
    (tmp_path / "cut.pyc").write_bytes(header + marshal.dumps(compile(PROGRAM, "p", "exec"))[:40])
    (tmp_path / "number.pyc").write_bytes(header + marshal.dumps(1))
    with pytest.raises(TargetError) as caught:
        find_target(target.format(program=program, folder=tmp_path))
    assert says in str(caught.value)


@pytest.mark.parametrize(
    "text, parts",
    [
        ("a/b.py:C.f", ("a/b.py", "C.f")),
        ("b.py", ("b.py", "")),
        ("C:\\x\\b.py", ("C:\\x\\b.py", "")),
        ("C:\\x\\b.py:f", ("C:\\x\\b.py", "f")),
        ("os.path:join", ("os.path", "join")),
    ],
)
def test_split_target(text, parts):
    assert split_target(text) == parts
