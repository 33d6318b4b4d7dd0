"""What a user names on the command line is found without running or importing it, or the error says what is there."""

from __future__ import annotations

import importlib.util
import itertools
import marshal
import py_compile
import re
import subprocess
import zipfile

import pytest

from depyf.decompiler.bytecode.code.formats import FORMATS
from depyf.decompiler.bytecode.interpreters import HOST_VERSION, find_interpreter
from depyf.targets import TargetError, find_target, is_file, split_target

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
    code = find_target(f"{compiled}:Shape.area")
    assert (code.name, code.code, code.version) == ("area", None, HOST_VERSION)


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


# Modules are found without importing anything

IMPORTED = "open('imported', 'w').close()\n"
ASK = """
import contextlib, io, sys

class Hook:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("pkg", "space", "packed", "single"):
            open("imported", "w").close()

from depyf.cli import main
from depyf.targets import TargetError, find_target

sys.meta_path.insert(0, Hook())
sys.path.append("archive.zip")
for target in sys.argv[1:]:
    try:
        found = find_target(target)
        said = getattr(found, "name", None) or found.co_name
    except TargetError as error:
        said = f"no: {error}"
    print(f"{target} -> {said}")
    for command in ("decompile", "disasm"):
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as errors:
            status = main([command, target])
        if (status == 2) != said.startswith("no: ") or status == 2 and errors.getvalue() != f"depyf: {said[4:]}\\n":
            print(command, target, status, errors.getvalue())
print({"pkg", "space", "packed", "single"} & {name.partition(".")[0] for name in sys.modules})
"""


@pytest.fixture
def modules(tmp_path):
    """A folder of the import path: packages, a namespace package, a module in a zip file, and one without source."""
    text = IMPORTED + "def f(): pass\nclass C:\n    def m(self): pass\n"
    for name in ("single.py", "pkg/__init__.py", "pkg/sub.py", "pkg/pyi.py", "pkg/deep/__init__.py", "pkg/deep/er.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "space" / "inner").mkdir(parents=True)
    (tmp_path / "space" / "inner" / "mod.py").write_text(text)
    py_compile.compile(str(tmp_path / "single.py"), cfile=str(tmp_path / "pkg" / "bare.pyc"), doraise=True)
    with zipfile.ZipFile(tmp_path / "archive.zip", "w") as archive:
        archive.writestr("packed/__init__.py", text)
        archive.writestr("packed/mod.py", text)
    return tmp_path


@pytest.fixture
def said_of(run_python, modules):
    """What `find_target`, decompile and disasm say of targets, which they may neither import nor look up in hooks."""

    def ask(*targets):
        done = run_python(ASK, *targets)
        *lines, imported = done.stdout.splitlines()
        assert imported == "set()" and not (modules / "imported").exists(), done.stderr
        return dict(line.split(" -> ") for line in lines)

    return ask


FOUND = {
    "single": "<module>", "single:f": "f", "pkg": "<module>", "pkg:C.m": "m", "pkg.sub:f": "f", "pkg.deep.er:C.m": "m",
    "pkg.bare:C.m": "m", "space.inner.mod:f": "f", "packed:f": "f", "packed.mod:C.m": "m",
}  # fmt: skip
MISSING = {
    "missing": "there is no file and no module called missing",
    "pkg.missing": "there is no file and no module called pkg.missing",
    "pkg.sub.missing:f": "there is no file and no module called pkg.sub.missing",
    "single.f": "there is no file and no module called single.f",
    "space.inner": "module space.inner has no Python code",
    "pkg.sub:missing": "pkg.sub has no code object called missing; did you mean",
}
MISTYPED = ["pkg.pyi", "pkg.PYC:f", "single.so", "pkg.zip", "pkg.sub/", "pkg/sub.pyx", "pkg."]
"""``pkg.pyi`` is there as a module, and yet a file is meant."""


def test_modules_are_found_without_an_import(said_of):
    assert said_of(*FOUND) == FOUND


def test_what_is_not_found_is_not_imported(said_of):
    said = said_of(*MISSING, *MISTYPED)
    assert [target for target, words in MISSING.items() if not said[target].startswith(f"no: {words}")] == []
    assert [target for target in MISTYPED if not said[target].startswith("no: can't read ")] == []


ENDINGS = [
    "py", "pyi", "pyc", "PYC", "Pyo", "pyw", "pyd", "so", "cpython-311-x86_64-linux-gnu.so", "dll", "exe", "zip",
    "whl", "egg", "pyz", "tar", "tar.gz", "tgz", "xz", "ipynb",
]  # fmt: skip


def test_what_looks_like_a_file_is_no_module():
    for ending in ENDINGS:
        assert is_file(f"pkg.{ending}") and is_file(f"pkg.sub.{ending}"), ending
    for name in ("pkg/", "pkg.sub/", "./pkg", "pkg\\sub", "pkg.", ".pkg", "pkg..sub", "a-b", "pkg.1", "", "a b", "~"):
        assert is_file(name), name
    for name in ("pkg", "pkg.sub", "py", "zip", "pkg.python", "pkg.sock", "pkg.json", "pkg.zipped", "größe"):
        assert not is_file(name), name


# Importing on purpose

MADE = "import dataclasses\n@dataclasses.dataclass\nclass P:\n    x: int\nlazy = eval('lambda q: q + 41')\n"


REFUSED = {
    "made:Q": "the imported module made has nothing called Q",
    "made:P.x.y": "the imported module made has nothing called P.x.y",
    "missing:f": "importing missing failed: ModuleNotFoundError",
    "fails": "importing fails failed: SystemExit: no",
    "made.py:P": "--import takes a module or module:QUALNAME, and made.py:P is the name of a file",
    "-": "--import takes a module",
    "made made": "--import takes a single target",
    "made:P --list": "--import takes a single target",
}
RUN = """
import os, sys
from depyf.cli import main
for words in sys.argv[1:]:
    print(words, "->", main(words.split()), os.path.exists("imported"))
"""


@pytest.fixture
def run_commands(run_python, tmp_path):
    (tmp_path / "made.py").write_text(IMPORTED + MADE)
    (tmp_path / "fails.py").write_text("raise SystemExit('no')\n")
    return lambda *commands: run_python(RUN, *commands)


def test_what_exists_only_at_run_time_is_imported_on_request(run_commands):
    static, *imported = "decompile made:P.__init__", "decompile --import made:P.__init__", "disasm --import made:lazy"
    done = run_commands(static, *imported, "decompile --import made", "decompile --import made:lazy")
    missing = r"depyf: made has no code object called P\.__init__; did you mean P(\.__annotate__)?\?"
    assert re.match(f"{missing}; --import takes it from the imported module\n", done.stderr)
    before, _, after = done.stdout.partition("decompile made:P.__init__ -> 2 False\n")
    assert before == ""
    for text in ("self.x = x", "BINARY_OP", "@dataclasses.dataclass", "q + 41", "made:lazy -> 0 True"):
        assert text in after


def test_imports_that_can_not_be(run_commands):
    done = run_commands(*(f"decompile --import {words}" for words in REFUSED))
    assert done.stdout.count("-> 2") == len(REFUSED)
    for line, says in itertools.zip_longest(done.stderr.splitlines(), REFUSED.values()):
        assert line.startswith(f"depyf: {says}")


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
