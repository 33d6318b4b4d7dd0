"""``python -m depyf decompile``: text on standard output, the verdict on standard error, and the exit status."""

from __future__ import annotations

import os
import subprocess
import sys
import types

import pytest

from depyf import cli
from depyf.decompiler import definition, pipeline
from depyf.errors import DecompilationError

PROGRAM = """\
raise_if_run()


def area(shape):
    if shape:
        return shape.width * shape.height
    return 0


class Shape:
    def scale(self, by):
        def times(x):
            return x * by
        return times(self.size)
"""



@pytest.fixture
def program(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    return "program.py"


def same_code(one, other):
    """Whether two code objects have equal instructions, and so have the ones nested in them."""
    nested = [[c for c in code.co_consts if isinstance(c, types.CodeType)] for code in (one, other)]
    return one.co_code == other.co_code and len(nested[0]) == len(nested[1]) and all(map(same_code, *nested))


def test_a_file_comes_back_as_its_program(run_depyf, program):
    done = run_depyf("decompile", program)
    assert done.returncode == 0, done.stderr
    assert same_code(compile(done.stdout, "out", "exec"), compile(PROGRAM, "in", "exec"))
    assert done.stderr.startswith("# <module>: all 5 code objects are proven: ")
    assert " 5 identical" in done.stderr


def test_one_function_of_a_file(run_depyf, program):
    done = run_depyf("decompile", f"{program}:area")
    assert done.stdout == (
        "def area(shape):\n    if shape:\n        return shape.width * shape.height\n    return 0\n"
    )
    assert done.stderr.startswith("# area: ")
    assert done.returncode == 0


def test_a_function_with_free_variables_is_python_by_itself(run_depyf, program):
    done = run_depyf("decompile", f"{program}:Shape.scale.times")
    assert done.returncode == 0, done.stderr
    compile(done.stdout, "out", "exec")
    assert "return x * by" in done.stdout


def test_the_verdict_comes_below_the_source_where_both_go_to_one_pipe(program, tmp_path):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    command = [sys.executable, "-m", "depyf", "decompile", "program.py:area"]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tmp_path, env=environment
    )
    assert [line[:7] for line in done.stdout.splitlines() if line[:1] != " "] == ["def are", "# area:"]


def test_output_goes_to_a_file(run_depyf, program, tmp_path):
    done = run_depyf("decompile", f"{program}:area", "-o", "area.txt")
    assert (done.returncode, done.stdout) == (0, "")
    assert (tmp_path / "area.txt").read_text().startswith("def area(shape):")


def test_output_that_can_not_be_written_is_an_error(run_depyf, program):
    done = run_depyf("decompile", f"{program}:area", "-o", "no/such/folder.txt")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "depyf: can't write no/such/folder.txt: No such file or directory"


def test_verdicts_lists_every_code_object(run_depyf, program):
    done = run_depyf("decompile", program, "--verdicts")
    listed = [line.split()[:2] for line in done.stderr.splitlines() if "(line" in line]
    assert sorted(listed) == [
        ["identical", "<module>"],
        ["identical", "Shape"],
        ["identical", "Shape.scale"],
        ["identical", "Shape.scale.<locals>.times"],
        ["identical", "area"],
    ]


@pytest.mark.parametrize("stage", ["load", "disassemble", "flowgraph", "lift", "structure", "polish", "print", "prove"])
def test_stop_after_shows_that_stage_alone(run_depyf, program, stage):
    done = run_depyf("decompile", f"{program}:area", "--stop-after", stage)
    assert done.returncode == 0, done.stderr
    headings = [line for line in done.stdout.splitlines() if line.startswith("---- ")]
    assert [heading.split()[1] for heading in headings] == [stage]
    assert len(done.stdout.splitlines()) > 1


def test_steps_shows_all_stages_in_order_and_then_the_source(run_depyf, program):
    done = run_depyf("decompile", f"{program}:area", "--steps")
    shown = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("---- ")]
    stages = ["load", "disassemble", "flowgraph", "lift", "structure", "polish", "print", "prove"]
    assert [stage for stage in shown if stage in stages] == stages
    assert done.stdout.endswith("        return shape.width * shape.height\n    return 0\n")


@pytest.mark.parametrize(
    "arguments, says",
    [
        (("decompile", "program.py:aera"), "depyf: program.py has no code object called aera; did you mean area?"),
        (("decompile", "other.py"), "depyf: can't read other.py: No such file or directory"),
        (("decompile", "program.py", "--stop-after", "lifting"), "no stage 'lifting'; the stages are: load, "),
        ((), "name a command: decompile, "),
    ],
)
def test_bad_usage_is_one_sentence_and_status_2(run_depyf, program, arguments, says):
    done = run_depyf(*arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


class Result:
    """A result that says what it is told to say."""

    def __init__(self, name, level, nested=(), reasons=()):
        self.qualname, self.nested, self.source = name, nested, f"def {name}(): ...\n"
        self.raw = types.SimpleNamespace(firstlineno=7)
        proven = level in ("identical", "exact", "equivalent")
        self.form = "refused" if level == "refused" else "structured"
        self.verdict = types.SimpleNamespace(
            level=types.SimpleNamespace(value=level), reasons=reasons, proven=proven, describe=lambda: level,
            lines=None, columns=None,
        )  # fmt: skip
        self.proven = proven and all(inner.proven for inner in nested)

    def walk(self):
        yield self
        for inner in self.nested:
            yield from inner.walk()


@pytest.fixture
def run_with(monkeypatch, tmp_path, program, capsys):
    """Run the command line on a file for which the pipeline gives ``result``."""

    def run(result, *arguments):
        def refuse(target, **options):
            raise DecompilationError("no idea", where="area", instructions="  0 RESUME")

        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(definition, "analyze", lambda target, **options: result)
        monkeypatch.setattr(pipeline, "standalone", lambda result: result.source)
        monkeypatch.setattr("depyf.decompiler.decompile", refuse, raising=False)
        status = cli.main(["decompile", program, *arguments])
        return status, capsys.readouterr()

    return run


def test_an_unproven_result_is_printed_and_announced(run_with):
    status, output = run_with(Result("area", "unproven", reasons=("budget spent",)))
    assert status == 1
    assert output.out == "def area(): ...\n"
    assert output.err == (
        "# area: 1 of 1 code objects not proven:\n#   unproven area (line 7): budget spent\n"
    )


def test_a_part_that_is_refused_is_announced(run_with):
    inner = Result("area.<locals>.part", "refused", reasons=("match statement",))
    status, output = run_with(Result("area", "exact", (inner,)))
    assert status == 1
    assert output.out == "def area(): ...\n"
    assert "1 of 2 code objects not proven" in output.err
    assert "refused area.<locals>.part (line 7): match statement" in output.err


def test_a_refused_target_is_an_error_with_its_instructions(run_with):
    status, output = run_with(Result("area", "refused"))
    assert status == 3
    assert output.out == ""
    assert output.err == "depyf: cannot decompile in area: no idea\n  0 RESUME\n"


def test_no_strict_prints_a_refused_target_all_the_same(run_with):
    status, output = run_with(Result("area", "refused", reasons=("no idea",)), "--no-strict")
    assert status == 3
    assert output.out == "def area(): ...\n"
    assert "refused area (line 7): no idea" in output.err


def test_layout_author_keeps_lines_and_columns(tmp_path, capsys):
    source = "import os\n\n\n\nx = os.path.join(os.sep,\n                 os.curdir)\n"
    path = tmp_path / "program.py"
    path.write_text(source)
    assert cli.main(["decompile", str(path), "--layout", "author"]) == cli.PROVEN
    output = capsys.readouterr()
    assert "\n\n\n\nx = os.path.join(os.sep," in output.out
    assert output.err.splitlines()[-1].startswith("# the lines")
    assert cli.main(["decompile", str(path), "--layout", "compact"]) == cli.PROVEN
    output = capsys.readouterr()
    assert "x = os.path.join(os.sep, os.curdir)" in output.out and "# the lines" not in output.err


def test_the_layout_of_whole_files_is_the_authors_and_that_of_parts_compact(tmp_path, capsys):
    path = tmp_path / "program.py"
    path.write_text("def f(a):\n    return [a,\n            a]\n")
    assert cli.main(["decompile", str(path)]) == cli.PROVEN
    assert capsys.readouterr().out == path.read_text()
    assert cli.main(["decompile", f"{path}:f"]) == cli.PROVEN
    assert capsys.readouterr().out == "def f(a):\n    return [a, a]\n"
