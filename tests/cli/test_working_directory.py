"""No command imports, or runs, a file of the working directory: each in a folder that has a module of every name.

The folder's modules, and a program of each name, leave their name behind and end the process with 0, as those of an
attacker would. Each command must say in it what it says without them.
"""

from __future__ import annotations

import json
import ntpath
import os
import py_compile
import re
import subprocess
import sys
import venv
from pathlib import Path
from types import SimpleNamespace

import pytest

from depyf.decompiler.bytecode import interpreters
from depyf.decompiler.bytecode.interpreters import HOST_VERSION, on_path

ROOT = Path(__file__).parents[2]
HOST = "{}.{}".format(*HOST_VERSION)
TRAP = "import sys\nopen({!r}, 'a').write(__name__ + ' ')\nsys.stdout.flush()\nraise SystemExit(0)\n"
TEMPLATE = "#!{}\nimport sys\nfrom {} import {function}\nif __name__ == '__main__':\n    sys.exit({function}())\n"
"""As pip writes a program."""
OTHERS = (
    "depyf", "sitecustomize", "usercustomize", "rich", "pygments", "torch", "numpy", "coverage", "IPython", "pytest",
    "triton", "typing_extensions", "zstandard", "nt", "_winapi", "msvcrt", "winreg",
)  # fmt: skip
SOURCES = {"a": "def f(x):\n    return x + 1\n", "b": "def f(x):\n    return x + 2\n"}
COMMANDS = (
    "verify --sarif in",
    "verify -v --json in/a.pyc",
    "verify --decompile in/b.pyc",
    "decompile in/a.pyc",
    "decompile in/a.pyc:f --steps",
    "decompile in/a.py --verdicts --json --linemap --header",
    "decompile in -o out -j 2",
    "decompile colorsys:rgb_to_hsv",
    "decompile nowhere:f",
    "decompile in --list",
    "disasm in/a.pyc",
    "disasm --cfg in/a.py:f",
    "disasm --svg in/a.py:f",
    "diff in/a.pyc in/b.pyc",
    "diff dump dump",
    "report dump",
    "report dump --format html",
    "report dump --format sarif",
    "report dump --format github",
    "report log",
    "doctor",
    "--help",
    f"coverage {HOST} --json",
)


class Installed:
    """An environment with depyf in it: its `python` and the program `depyf`."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, with_pip=False, symlinks=os.name != "nt")
        self.bin = next(filter(Path.is_dir, (folder / "bin", folder / "Scripts")))
        self.python = str(next(self.bin.glob("python*")).with_name("python"))
        packages = self.say("import sysconfig; print(sysconfig.get_path('purelib'))")
        Path(packages, "depyf.pth").write_text(str(ROOT / "src"))
        project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
        module, function = re.search(r'^depyf = "([\w.]+):(\w+)"$', project, re.MULTILINE).groups()
        self.program = str(self.bin / "depyf")
        Path(self.program).write_text(TEMPLATE.format(self.python, module, function=function))
        os.chmod(self.program, 0o755)

    def run(self, *words: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a command in a folder with few variables, in the environment."""
        variables = {"HOME": str(cwd), "PATH": os.pathsep.join([str(self.bin), os.environ["PATH"]]), **variables}
        return subprocess.run(
            words, cwd=cwd, env={**variables, "COLUMNS": "100"}, capture_output=True, text=True, timeout=300,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip

    def say(self, code: str) -> str:
        return subprocess.check_output([self.python, "-I", "-c", code], text=True).strip()

    def imported_first(self, folder: Path) -> set[str]:
        """Names that Python looks for before the first line of ``python -m probe``, found or not."""
        (folder / "probe.py").write_text("")
        shown = self.run(self.python, "-X", "importtime", "-m", "probe", cwd=folder).stderr
        return {line.split("|")[-1].strip().split(".")[0] for line in shown.splitlines()}


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    return Installed(tmp_path_factory.mktemp("environment"))


@pytest.fixture(scope="module")
def first(installed, tmp_path_factory):
    return installed.imported_first(tmp_path_factory.mktemp("probe"))


SILENT = ("decompile nowhere:f", "disasm --svg in/a.py:f", "decompile in -o out -j 2", "report log")
"""They say it on standard error."""


def prepare(folder: Path) -> None:
    """What the commands examine."""
    (folder / "in").mkdir(parents=True)
    for name, text in SOURCES.items():
        path = folder / "in" / f"{name}.py"
        path.write_text(text)
        py_compile.compile(str(path), f"{path}c", str(path.relative_to(folder)), doraise=True)
        py_compile.compile(str(path), doraise=True)
    remark = {"file": "in/a.py", "line": 2, "kind": "break", "words": "it breaks", "function": "f"}
    counts = dict.fromkeys(("functions", "graphs", "breaks", "recompilations", "uncompiled"), 1)
    report = {"format": 1, "counts": counts, "remarks": [remark], "torch": "2", "python": "3"}
    for name in ("dump", "log"):
        (folder / name).mkdir()
    (folder / "dump" / "remarks.json").write_text(json.dumps(report))
    (folder / "log" / "dedicated_log_torch_trace_1.log").write_text("")


def plant(folder: Path, names: set[str], marker: Path) -> None:
    """A trap for each name: modules and packages in turn, a compiled module, and programs."""
    for number, name in enumerate(sorted(names)):
        text = TRAP.format(str(marker))
        if number % 3 == 0:
            (folder / f"{name}.py").write_text(text)
        elif number % 3 == 1:
            (folder / name).mkdir()
            (folder / name / "__init__.py").write_text(text)
        else:
            code = py_compile.compile  # what has no source is loaded unchecked
            (folder / "trap").write_text(text)
            code(str(folder / "trap"), str(folder / f"{name}.pyc"), doraise=True)
            (folder / "trap").unlink()
    for name in ("dot", "python", "py", "uname", *(f"python3.{minor}" for minor in range(7, 17))):
        (folder / f"{name}").write_text(f"#!/bin/sh\necho 'program:{name}' >> '{marker}'\n")
        (folder / f"{name}").chmod(0o755)


def everything(installed: Installed) -> set[str]:
    """Names of the library and of what depyf may use."""
    found = installed.say("import pkgutil; print(*(module.name for module in pkgutil.iter_modules()))").split()
    return {*found, *sys.builtin_module_names, *getattr(sys, "stdlib_module_names", ()), *OTHERS}


WAYS = {
    # How depyf is started, the variables, and whether what Python imports first, and depyf, are no traps.
    "program": ("{program}", {}, False),
    "-I": ("{python} -I -m depyf", {"PYTHONPATH": ".", "PYTHONPYCACHEPREFIX": ".", "PYTHONUSERBASE": "."}, False),
    "-m": ("{python} -m depyf", {}, True),
    "PYTHONPATH": ("{program}", {"PYTHONPATH": os.pathsep * 2, "PATH": "{bin}" + os.pathsep}, True),
}


def said(done: subprocess.CompletedProcess[str]) -> tuple[object, ...]:
    """What a command said, but for times."""
    return done.returncode, re.sub(r"\d+\.\d+ s|\d{5,}", "", done.stdout), done.stderr


@pytest.mark.parametrize("way", WAYS)
def test_verify_imports_nothing_of_the_working_directory(way, installed, first, tmp_path):
    check("verify in", way, installed, first, tmp_path)


@pytest.mark.parametrize("words", COMMANDS)
@pytest.mark.parametrize("way", WAYS)
def test_no_command_imports_anything_of_the_working_directory(way, words, installed, first, tmp_path):
    check(words, way, installed, first, tmp_path)


def check(words: str, way: str, installed: Installed, first: set[str], tmp_path: Path) -> None:
    """The command does the same in a folder full of traps as in one without, and no trap snaps."""
    start, variables, is_late = WAYS[way]
    command = [*start.format(program=installed.program, python=installed.python).split(), *words.split()]
    variables = {name: value.format(bin=installed.bin) for name, value in variables.items()}
    names = everything(installed) - (first | {"depyf", "sitecustomize", "usercustomize"} if is_late else set())
    assert {"argparse", "json", "difflib", "multiprocessing"} & names
    outcomes = []
    for kind in ("clean", "hostile"):
        folder = tmp_path / kind
        prepare(folder)
        if kind == "hostile":
            plant(folder, names, tmp_path / "marker")
        outcomes.append(said(installed.run(*command, cwd=folder, **variables)))
    assert not (tmp_path / "marker").exists(), (tmp_path / "marker").read_text()
    assert outcomes[0] == outcomes[1]
    assert "Traceback" not in outcomes[0][2] and (outcomes[0][1] or words in SILENT)


def test_the_traps_work(installed, tmp_path):
    prepare(tmp_path)
    plant(tmp_path, everything(installed), tmp_path / "marker")
    for words in (["-m", "depyf", "--help"], ["-c", "import json"], ["-c", "import argparse"]):
        (tmp_path / "marker").write_text("")
        done = installed.run(installed.python, *words, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (0, "") and (tmp_path / "marker").read_text()


def steps_of(path: Path) -> list[str]:
    """What the steps of an action run in a shell."""
    return [re.sub("^        ", "", text, flags=re.MULTILINE)
            for text in re.findall(r"^      run: \|\n((?: {8}.*\n)+)", path.read_text(), re.MULTILINE)]  # fmt: skip


def test_the_action_checks_what_it_is_told(installed, tmp_path):
    """Its install step runs but for pip's download; what it checks differs, whatever is planted beside it."""
    install, check = steps_of(ROOT / "action.yml")
    folder, temporary = tmp_path / "checkout", tmp_path / "temporary"
    prepare(folder)
    temporary.mkdir()
    (tmp_path / "precious").write_text("precious")
    (folder / "depyf.sarif").symlink_to(tmp_path / "precious")
    plant(folder, everything(installed) | {"pip", "venv", "setuptools", "hatchling"}, tmp_path / "marker")
    variables = {"RUNNER_TEMP": str(temporary), "SARIF_FILE": "depyf.sarif", "GITHUB_ACTION_PATH": str(ROOT)}
    assert "-I -m venv " in install and install.count("python ") == install.count("python -I ")
    assert check.count("python") == check.count('python" -I -m depyf verify ') == 2
    (temporary / "depyf").symlink_to(installed.bin.parent)
    for paths, status, fine in (("in/a.pyc in/__pycache__", 0, True), ("in/*", 1, False), ("nowhere/*", 2, True)):
        if not fine:
            py_compile.compile(str(folder / "in" / "b.py"), str(folder / "in" / "a.pyc"), "in/a.py", doraise=True)
        done = installed.run(
            "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", check, cwd=folder, VERIFIED_PATHS=paths,
            **variables,
        )  # fmt: skip
        assert done.returncode == status, done
    assert (tmp_path / "precious").read_text() == "precious"
    assert not (tmp_path / "marker").exists()


def test_the_hook_finds_what_differs(installed, tmp_path):
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text()
    entry = re.search(r"entry: ([^#\n]+)", hook).group(1).split()
    arguments = re.search(r"args: \[(.*?)\]", hook).group(1).split(", ")
    prepare(tmp_path)
    plant(tmp_path, everything(installed) | {"pre_commit"}, tmp_path / "marker")
    (tmp_path / "in" / "a.py").write_text(SOURCES["b"])
    done = installed.run(*entry, *arguments, "in/a.pyc", cwd=tmp_path, PYTHONPATH=os.pathsep)
    assert done.returncode == 1 and "differs" in done.stdout, done
    assert not (tmp_path / "marker").exists()


def test_documents_teach_what_is_safe():
    """`python -m depyf` stands only where a page, or a comment, says what is wrong with it, and behind torchrun."""
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "action.yml", *ROOT.glob(".github/**/*.y*ml"),
             *ROOT.glob("src/**/*.py"), *ROOT.glob("examples/*.py")]  # fmt: skip
    taught = {
        (path.relative_to(ROOT).as_posix(), line)
        for path in pages
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"(?<!-I )-m depyf\b", line) and "torchrun" not in line
    }
    allowed = {
        "src/depyf/__main__.py", "docs/command-line.md", "docs/how-to/verify.md", "CHANGELOG.md", "SECURITY.md",
    }  # fmt: skip
    assert {path for path, _ in taught} <= allowed, taught


# Programs that run


@pytest.mark.parametrize("options", [(), ("-I",), ("-E",)])
@pytest.mark.parametrize("words", ["show.py 1", "-m show 2", "-c __import__('show') 3", "folder 4", "-"])
def test_a_program_has_the_path_that_python_gives_it(options, words, installed, tmp_path):
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "show.py", tmp_path / "folder" / "__main__.py"):
        # 3.8 has the first entry as it was typed.
        path.write_text("import os, sys\nprint([sys.path[0] and os.path.abspath(sys.path[0]), *sys.path[1:]])\n")
    variables = {"PYTHONPATH": os.pathsep.join(["", "folder", str(tmp_path)])}
    plain = installed.run(installed.python, *options, *words.split(), cwd=tmp_path, **variables)
    for start in ([installed.python, *options, "-m", "depyf"], [installed.python, *options, installed.program]):
        done = installed.run(*start, "run", "-q", *words.split(), cwd=tmp_path, **variables)
        assert (bool(done.returncode), done.stdout) == (bool(plain.returncode), plain.stdout), done.stderr


# Programs that are found


@pytest.fixture
def elsewhere(monkeypatch, tmp_path):
    """Folders with a program `tool` in each; the working directory is one of them."""
    for name in ("good", "here/relative", "here/~/.pyenv/versions/3.99.1/bin"):
        (tmp_path / name).mkdir(parents=True)
    for path in ("good", "here", "here/relative", "here/~/.pyenv/versions/3.99.1/bin"):
        for name in ("tool", "python3.99"):
            text = f"#!/bin/sh\n: > '{tmp_path}/{path}/ran'\necho \"cpython 3 99 final $PWD\"\n"
            (tmp_path / path / name).write_text(text)
            (tmp_path / path / name).chmod(0o755)
    monkeypatch.chdir(tmp_path / "here")
    interpreters.forget_interpreters()
    yield tmp_path
    interpreters.forget_interpreters()


@pytest.mark.parametrize("entry", ["", ".", "relative", "./relative", "../here", "{here}", "{here}/../here"])
def test_no_program_of_the_working_directory_is_found(entry, elsewhere, monkeypatch):
    entry = entry.format(here=elsewhere / "here")
    monkeypatch.setenv("PATH", os.pathsep.join([entry, str(elsewhere / "good"), entry]))
    assert list(on_path("tool")) == [str(elsewhere / "good" / "tool")]
    assert interpreters.find_interpreter((3, 99)) == str(elsewhere / "good" / "python3.99")
    assert not list((elsewhere / "here").rglob("ran"))


def test_what_is_no_absolute_path_is_no_interpreter(elsewhere, monkeypatch):
    """A home folder that nobody knows stays `~`; variables may name relative folders."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    for name, value in (("PYENV_ROOT", "~/.pyenv"), ("UV_PYTHON_INSTALL_DIR", "relative"), ("XDG_DATA_HOME", ".")):
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("DEPYF_PYTHONS", raising=False)
    assert interpreters.find_interpreter((3, 99)) is None
    assert not list((elsewhere / "here").rglob("ran"))
    interpreters.forget_interpreters()
    monkeypatch.setenv("DEPYF_PYTHONS", "relative")  # on purpose
    assert interpreters.find_interpreter((3, 99)) == str(elsewhere / "here" / "relative" / "python3.99")


def test_a_shim_does_not_see_the_working_directory(elsewhere, monkeypatch):
    monkeypatch.setenv("PATH", str(elsewhere / "good"))
    assert interpreters._ask([str(elsewhere / "good" / "tool")]).split()[-1] == str(elsewhere / "good")


@pytest.mark.parametrize("folder", ["C:\\good", "C:good", "\\good", "good", ".", "", "C:\\here", "c:\\HERE\\.", "~"])
def test_on_windows_only_absolute_folders_count(folder, monkeypatch):
    """Windows as far as paths go: every file is there, in any spelling."""

    class Path:
        join, isabs, normpath = ntpath.join, ntpath.isabs, ntpath.normpath

        @staticmethod
        def abspath(path: str) -> str:
            drive, rest = ntpath.splitdrive(path)
            rooted = rest if rest[:1] == "\\" else ntpath.join("\\here", rest)
            return ntpath.normpath((drive or "C:") + rooted)

        @staticmethod
        def samefile(one: str, other: str) -> bool:
            return Path.abspath(one).lower() == Path.abspath(other).lower()

        @staticmethod
        def isfile(path: str) -> bool:
            return path.lower().endswith(".exe")

    windows = SimpleNamespace(
        name="nt", path=Path, curdir=".", X_OK=1, environ={"PATHEXT": ".COM;.EXE"}, access=lambda *_: True,
        get_exec_path=lambda: [folder],
    )  # fmt: skip
    monkeypatch.setattr(interpreters, "os", windows)
    assert list(on_path("python3.9")) == ["C:\\good\\python3.9.EXE"] * (folder == "C:\\good")
