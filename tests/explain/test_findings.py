"""One record of a finding: what is in it stands in all forms, at the program's own line, and is counted once."""

from __future__ import annotations

import logging
import os
import re
import sys
import threading
from types import SimpleNamespace

import pytest
import torch
import torch_programs
from torch._dynamo.backends.common import aot_autograd
from torch_programs.dumps import forms
from torch_programs.observe import observe
from torch_programs.suite import CALLS, lacking

import depyf
from depyf import owners
from depyf.explain.frames.graph_breaks import graph_break_from_reason, place
from depyf.explain.frames.recompiles import reason_from_text
from depyf.explain.frames.refusals import Refusals
from depyf.explain.model import CacheEntry, Frame, GraphBreak, Refusal, Session, Skip, SourceLine
from depyf.explain.recording import outcome_hooks
from depyf.explain.report.remarks.answer import answer_lines, worst_first
from depyf.explain.report.remarks.counts import count_words
from depyf.explain.report.remarks.findings import _one_for_each_size, _told
from depyf.explain.report.remarks.remark import Remark
from depyf.explain.report.remarks.stored import Report, report_of
from depyf.testing import NotAsCompiled, compiled

PROGRAMS = {name: one for name, one in torch_programs.load().items() if one.finding}
REPORTS = [name for name in PROGRAMS if name.startswith("report_")]
A_FEW = [name for name in PROGRAMS if name not in REPORTS or name in REPORTS[1::8]]  # the matrix runs all of them
INSTALLED = os.path.join("lib", "python3.11", "site-packages", "shapes", "core.py")


@pytest.fixture(autouse=True)
def quiet():
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("name", A_FEW)
def test_a_finding_is_in_all_forms_at_the_programs_line(name, tmp_path):
    program = PROGRAMS[name]
    if lacking(program):
        return
    CALLS.clear()
    torch._dynamo.utils.counters.clear()
    found = {}
    observe(program, str(tmp_path), found)
    assert found["same"].get("exception", [""])[0] in program.raises.split("|")
    assert found["dump"]["wrong"] == []


def test_a_call_that_raised_is_counted_by_itself_and_comes_first():
    torch._dynamo.reset()

    @torch.compile(backend="eager", fullgraph=True)
    def step(x):
        torch._dynamo.graph_break()
        return x + 1

    with pytest.raises(NotAsCompiled, match="2 raising calls, none allowed") as caught, compiled():
        for _ in range(2):
            with pytest.raises(torch._dynamo.exc.Unsupported):
                step(torch.ones(3))
    assert "torch._dynamo.graph_break()" in str(caught.value) and "Unsupported" in str(caught.value)


def test_every_count_is_one_count(tmp_path):
    torch._dynamo.reset()

    @torch.compile(backend="eager", dynamic=False)
    def step(x):
        x = x + 1
        print("", end="")
        return x * 2

    with depyf.prepare_debug(tmp_path) as session:
        for size in (2, 3, 4):
            step(torch.ones(size))
    counts = report_of(session).counts
    assert (counts["breaks"], counts["times broken"], counts["recompilations"]) == (1, 3, 2)
    words = "1 function compiled, 1 graph break (3 times), 2 recompilations"
    assert ", ".join(count_words(counts)) == words
    said = forms(str(tmp_path), session)
    assert words in said["answer"] and "Graph breaks: 1 (3 times), for 1 reason" in said["index"]
    assert "2 recompilations, -1 expected" in said["test"] and "1 graph break, -1 expected" in said["test"]
    for words in count_words(counts):
        assert words in said["page"]
    assert report_of(session).seconds == sum(one.total for one in session.times) or not session.times


def test_no_break_is_counted_in_a_function_that_was_never_compiled():
    torch._dynamo.reset()

    @torch.compile(backend="eager")
    def step(x):
        for _ in range(2):
            x = x + 1
            torch._dynamo.graph_break()
        return x

    with compiled(breaks=0, graphs=0, uncompiled=1):
        step(torch.ones(3))


def test_what_dynamo_leaves_to_python_by_rule_is_one_line():
    rule = "frame is in the Dynamo skipfiles list"
    skips = [Skip(f"f{number}", SourceLine("/x/" + INSTALLED, number), rule) for number in range(3)]
    skips += [Skip("f1", SourceLine("/x/" + INSTALLED, 1), rule, "0/1"), Skip("own", SourceLine("/p/a.py", 7), rule)]
    report = report_of(Session(skips=skips))
    assert [(one.kind, one.function) for one in report.remarks] == [("uncompiled", "own")]
    assert answer_lines(report)[-1] == "  and 3 functions of shapes, which Dynamo leaves to Python by rule"
    assert Report.read.__doc__ and '"left": {\n  "shapes": 3\n }' in report.to_json()


@pytest.mark.parametrize(
    ("file", "package"),
    [
        ("/p/train.py", ""), ("/home/u/lib/shapes/core.py", ""), ("/tmp/ipykernel_4711/202082268.py", ""),
        ("<ipython-input-3-abc>", ""), ("<string>", "Python"), ("<frozen importlib._bootstrap>", "Python"),
        ("/x/lib/python3.12/contextlib.py", "Python"), ("/x/" + INSTALLED, "shapes"),
        ("/usr/lib/python3/dist-packages/six.py", "six"), ("/x/lib/python3.12/site-packages/torch/nn/f.py", "torch"),
        (torch.__file__, "torch"), (os.__file__, "Python"), (depyf.__file__, "depyf"),
    ],
)  # fmt: skip
def test_whose_a_file_is(file, package):
    assert owners.package_of(file) == package
    assert owners.is_of_program(file) == (not package)


def test_a_package_that_the_user_names_is_his(monkeypatch):
    monkeypatch.setattr(owners, "OWN", set())
    owners.own(["shapes"])
    assert not owners.is_of_program("<string>")
    owners.own(["<string>"])  # the program of `depyf run -c`
    assert owners.is_of_program("<string>")
    assert owners.is_of_program("/x/" + INSTALLED) and not owners.is_of_program("/x/lib/python3.11/site-packages/a.py")
    owners.OWN.clear()
    owners.package_of.cache_clear()
    assert not owners.is_of_program("/x/" + INSTALLED)


def test_a_break_inside_a_package_is_at_the_programs_line():
    own, theirs = SourceLine("/p/a.py", 3, "y = area(x)", "step"), SourceLine("/x/" + INSTALLED, 9, "print(x)", "area")
    one = place(GraphBreak("why", stack=[own, theirs]))
    assert (one.location, one.inside) == (own, theirs)
    caller = SourceLine("/p/main.py", 20, "out = model(x)")
    one = place(GraphBreak("why", stack=[theirs]), caller)
    assert (one.location, one.inside) == (caller, theirs)
    assert place(GraphBreak("why", stack=[own])).inside is None
    assert place(GraphBreak("why", stack=[theirs])).location == theirs  # nobody of the program called it


def test_advice_about_the_source_of_torch_is_dropped():
    own = SourceLine("/p/a.py", 3, "optimizer.step()", "step")
    remove = "Remove the `torch._dynamo.graph_break()` call."
    explanation = "  Explanation: User-inserted graph break. Message: None\n"
    text = f"Call to `torch._dynamo.graph_break()`\n{explanation}  Hint: {remove}\n  Hint: Wait.\n"
    stack = [SimpleNamespace(filename="/x/lib/python3.11/site-packages/torch/optim/optimizer.py", lineno=79,
                             line="torch._dynamo.graph_break()", name="wrapper")]  # fmt: skip
    one = place(graph_break_from_reason(text, stack), own)
    assert one.hints == ["Wait."] and "by design" in one.remedy
    mine = graph_break_from_reason(text, [SimpleNamespace(filename="/p/a.py", lineno=3, name="f",
                                                          line="torch._dynamo.graph_break()")])  # fmt: skip
    assert len(mine.hints) == 2 and not mine.remedy
    assert (one.explanation, mine.explanation) == ("A graph break in the library's own code.",
                                                   "User-inserted graph break.")  # fmt: skip


@pytest.mark.parametrize(("more", "remedy"), [("", "is not the program's"), ("  Hint: Set a.\n", "")])
def test_what_to_avoid_in_a_librarys_line_is_no_advice(more, remedy):
    own = SourceLine("/p/a.py", 3, "y = model(x)", "step")
    text = f"Unsupported method call\n  Hint: Avoid calling `Logger.log_stats` in your code.\n{more}"
    stack = [SimpleNamespace(filename="/x/" + INSTALLED, lineno=9, line="self.logger.log_stats()", name="forward")]
    one = place(graph_break_from_reason(text, stack), own)
    assert one.hints == ["Set a."] * bool(more) and remedy in one.remedy and bool(one.remedy) == bool(remedy)


def test_a_mark_in_vain_has_the_same_words_on_every_torch():
    size = "L['x'].size()[0]"
    text = (
        f"Constraints violated ({size})! For more information, see the log.\n  - Not all values of "
        f"RelaxedUnspecConstraint({size}) are valid because {size} was inferred to be a constant (5).\n"
    )
    one = graph_break_from_reason(text)
    assert one.reason == "You marked x.shape[0] as dynamic but your code specialized it to be a constant (5)"


def test_what_torch_runs_itself_is_no_call_to_avoid():
    explanation = (
        "  Explanation: Dynamo developers have intentionally marked that the function `Adam.step` in file "
        "`/x/site-packages/torch/optim/adam.py` should not be traced.\n"
    )
    hints = (
        "  Hint: Avoid calling the function `Adam.step`.\n  Hint: Wait.\n  Hint: Apply "
        "`@torch._dynamo.dont_skip_tracing` to the function `Adam.step` to force tracing into the function.\n"
    )
    text = f"A function marked as skipped\n{explanation}{hints}"
    line = SimpleNamespace(filename="/p/a.py", lineno=3, line="opt.step()", name="train")
    one = graph_break_from_reason(text, [line])
    assert one.hints == ["Wait."] and "by design" in one.remedy
    told = [_told([one], Remark("/p/a.py", 3, kind, "why")).advice for kind in ("break", "raised")]
    assert [advice[0].endswith(end) for advice, end in zip(told, ("leave it as it is", "the compiled function"))] == [
        True, True,
    ]  # fmt: skip
    other = graph_break_from_reason(text.replace("Dynamo developers have", "Somebody has"), [line])
    assert len(other.hints) == 3 and not other.remedy


@pytest.mark.parametrize(
    "text",
    [
        "Data-dependent branching\n  Hint: Use `torch.cond`.\n  Developer debug context: attempted to jump with {}\n",
        "Data-dependent assertion failed (cannot compile partial graph)\n  Hint: No.\n  Developer debug context: {}\n",
        "generic_jump {}",
    ],
)
def test_an_assertion_that_fails_while_compiling_depends_on_no_data(text):
    fails = graph_break_from_reason(text.format("ConstantVariable(bool: False)"))
    assert fails.reason.startswith("an assertion fails") and not fails.hints and not fails.explanation
    other = graph_break_from_reason(text.format("TensorVariable()"))
    assert not other.reason.startswith("an assertion fails") and other.hints


def test_the_rest_of_a_function_is_called_as_the_program_calls_it():
    line = SourceLine("/p/a.py", 24, "assert x")
    refused = Refusal("1/0", "torch_dynamo_resume_in_step_at_24", line, GraphBreak("no"))
    (remark,) = [one for one in report_of(Session(refusals=[refused])).remarks if one.kind == "uncompiled"]
    assert remark.words == "the rest of step: no"


def test_what_an_exception_asks_for_is_a_hint():
    said = "got RuntimeError('There was no fake impl. Please use `twice.register_fake` to add an fake impl.')"
    text = f"No\n  Explanation: Dynamo failed: {said}\n  Hint: Please double check it.\n"
    one = graph_break_from_reason(text)
    assert one.hints == ["Please use `twice.register_fake` to add an fake impl.", "Please double check it."]
    assert said in one.explanation
    assert not graph_break_from_reason("No\n  Explanation: Please report an issue to PyTorch.\n").hints


def test_a_setting_is_named_where_it_is(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch._dynamo", SimpleNamespace(reset=len))
    monkeypatch.setitem(sys.modules, "torch._dynamo.config", SimpleNamespace(traced=False, reset=1))
    text = "No\n  Hint: Set torch._dynamo.traced=True\n  Hint: torch._dynamo.reset = 1, torch._dynamo.other = 1\n"
    assert graph_break_from_reason(text).hints == [
        "Set torch._dynamo.config.traced=True", "torch._dynamo.reset = 1, torch._dynamo.other = 1",
    ]  # fmt: skip


def test_what_became_of_a_call_is_what_happened():
    code = test_every_count_is_one_count.__code__
    for suppressed, kind in ((False, "raised"), (True, "uncompiled")):
        refusals = Refusals()
        refusals.begins()
        refusals.failed(code, "0/0", ValueError("no such thing"))
        if suppressed:
            refusals.left_to_python(code)
        refusals.begins()
        refusals.left_to_python(code)  # of another attempt
        frame = Frame("f", "f", code.co_filename, code.co_firstlineno, entries=[CacheEntry("0/1")], code=code)
        session = Session([frame], refusals=refusals.hand_out([frame]))
        (one,) = [one for one in report_of(session).remarks if one.is_finding]
        assert one.kind == kind
        assert ("a later one was compiled (0/1)" in one.became) == (kind == "raised")


@pytest.mark.parametrize(("end", "on"), [
    (None, [True, True]), (KeyError("x"), [True, True]), (ValueError("y"), [True, False]), ("unknown", [False, False]),
])  # fmt: skip
def test_a_program_goes_on_after_what_is_not_its_end(end, on):
    code, refusals = test_every_count_is_one_count.__code__, Refusals()
    for text in ("first", "second"):
        refusals.begins()
        refusals.failed(code, "", ValueError(text))
    if end != "unknown":
        refusals.program_ends(end)
        refusals.program_ends(None)  # what is told first holds
    assert ["the program went on" in one.consequence for one in refusals.hand_out([])] == on


def test_what_ends_a_thread_is_not_said_to_be_passed_over():
    refusals = Refusals()
    thread = threading.Thread(target=refusals.failed, args=((lambda: 0).__code__, "", ValueError("no")))
    thread.start()
    thread.join()
    refusals.program_ends(None)
    assert [one.consequence for one in refusals.hand_out([])] == ["the call raised it"]


def test_breaks_that_differ_in_a_size_are_at_one_place():
    line = SourceLine("/p/a.py", 3, "return x[i] + i", "f")
    breaks = [GraphBreak(f"Could not guard on -u0 > {4 + at}", location=line, compile_id=f"0/{at}") for at in (0, 1)]
    session = Session([Frame("f", breaks=breaks)])
    (one,) = [one for one in report_of(session).remarks if one.kind == "break"]
    assert one.times == 2 and one.compilations == ["0/0", "0/1"]


def test_advice_is_not_to_convert_a_parameter():
    text = "tensor 'L['lin']._parameters['bias']' dtype mismatch. expected Float, actual Double"
    asked = ". Guard failed on a parameter, consider using force_parameter_static_shapes"
    assert reason_from_text(text).remedy and not reason_from_text(text + asked).remedy


def test_checks_of_packages_that_follow_one_size_are_one_finding():
    def one(change, number, inside="shapes/core.py:6"):
        return Remark("a.py", 7, "recompile", "x" + change, inside=inside, compilations=[number], checks=[number])

    size, other = ".shape[1] was 6, then 8", ".shape[1] was 6, then 9"
    found = list(_one_for_each_size([one(size, "0/1"), one(other, "1/1"), one(size, "2/1"), one(size, "3/1"),
                                     one(size, "4/1", inside="")]))  # fmt: skip
    assert [(remark.words, remark.compilations) for remark in found] == [
        (f"x{size} (2 more checks inside packages follow this size)", ["0/1", "2/1", "3/1"]),
        ("x" + other, ["1/1"]), ("x" + size, ["4/1"]),
    ]  # fmt: skip


def test_an_error_that_only_says_that_it_failed_has_the_reason_of_its_cause():
    error, cause = RuntimeError("Hard failure."), RuntimeError("")
    cause.msg = "Dynamo recompile limit exceeded\n  Explanation: (currently set to 2).\n\nfrom user code:\n  File 3"
    error.__cause__ = cause
    one = Refusals().failed((lambda: 0).__code__, "0/0", error)
    assert one.why.reason == "Hard failure: Dynamo recompile limit exceeded"
    assert one.why.explanation == "(currently set to 2)."


def test_findings_are_in_the_order_of_what_they_cost():
    many = ["0/0", "0/1", "0/2"]
    rows = [Remark("b.py", 1, "uncompiled", "u"), Remark("a.py", 1, "break", "once", compilations=["0/0"]),
            Remark("a.py", 2, "break", "theirs", compilations=many, package="numpy"),
            Remark("a.py", 3, "recompile", "often", compilations=many), Remark("z.py", 1, "raised", "r")]  # fmt: skip
    assert [one.words for one in worst_first(rows)] == ["r", "often", "once", "theirs", "u"]


def test_the_list_of_recompilations_grows_with_their_number(tmp_path):
    lengths = []
    for most in (4, 8):
        torch._dynamo.reset()
        step = torch.compile(lambda x, n: x * n, backend="eager", dynamic=False)
        with depyf.prepare_debug(tmp_path / str(most)):
            for n in range(most):
                step(torch.ones(2), n)
        text = (tmp_path / str(most) / "README.md").read_text()
        lengths.append(text.partition("## Compiled again")[2].partition("\n## ")[0].count("\n"))
    assert lengths[1] < 2.5 * lengths[0]


def test_texts_of_torch_are_shown_without_addresses_and_arguments():
    text = ("Skip calling function `<function main.<locals>.Box.__init__ at 0x7f00deadbeef>`: call_function <built-in "
            "method matmul of type object at 0x7f00deadbeef>(*(FakeTensor(..., size=(2, 3)), 4), **{}) in "
            "/home/u/lib/python3.11/site-packages/torch/_dynamo/x.py")  # fmt: skip
    assert graph_break_from_reason(text).reason == (
        "Skip calling function `Box.__init__`: call_function matmul(...) in torch/_dynamo/x.py"
    )


def test_sizes_that_are_marked_and_constant_have_their_line_and_what_to_do():
    text = ("Constraints violated (L['x'].size()[0])! For more information, run with TORCH_LOGS=\"+dynamic\".\n"
            "  - You marked L['x'].size()[0] as dynamic but your code specialized it to be a constant (5). Use "
            "maybe_mark_dynamic.\n\nUser stack:\n  File \"/p/a.py\", line 31, in step\n    if x.shape[0] == 5:\n")
    one = graph_break_from_reason(text)
    assert one.reason == "You marked x.shape[0] as dynamic but your code specialized it to be a constant (5)"
    assert one.hints == ["Use maybe_mark_dynamic."]
    assert one.location == SourceLine("/p/a.py", 31, "if x.shape[0] == 5:", "step")


def test_a_refusal_of_a_library_is_no_finding():
    line = SourceLine(os.path.join(os.path.dirname(torch.__file__), "nn", "f.py"), 3)
    session = Session(refusals=[Refusal("0/0", "f", line, GraphBreak("why"), "Unsupported")])
    assert report_of(session).remarks == []
    assert not re.search("uncompiled", " ".join(answer_lines(report_of(session))))
    assert sys.modules["torch"] is torch


AREA = """\
import torch


def area(x):
    y = x.sin()
    print("", end="")
    return y * 2
"""


@pytest.fixture
def shapes(tmp_path, monkeypatch):
    """A package in a folder of installed ones."""
    home = tmp_path / "lib" / "python3.11" / "site-packages"
    (home / "shapes").mkdir(parents=True)
    (home / "shapes" / "__init__.py").write_text("")
    (home / "shapes" / "core.py").write_text(AREA)
    monkeypatch.syspath_prepend(str(home))
    yield home / "shapes" / "core.py"
    owners.OWN.clear()
    owners.package_of.cache_clear()
    for name in ("shapes", "shapes.core"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("names", [[], ["shapes"]])
@pytest.mark.parametrize("inlined", [True, False])
def test_a_break_in_an_installed_package_and_in_one_of_the_users(names, inlined, shapes, tmp_path):
    owners.own(names)
    torch._dynamo.reset()
    from shapes.core import area

    def step(x):
        return area(x) + 1

    compiled_one = torch.compile(step if inlined else area, backend="eager")
    with depyf.prepare_debug(tmp_path / "dump") as session:
        compiled_one(torch.ones(3))
    (one,) = [one for one in report_of(session).remarks if one.kind == "break"]
    if names:
        assert (one.file, one.text, one.package, one.inside) == (str(shapes), 'print("", end="")', "", "")
    else:
        text = "return area(x) + 1" if inlined else "compiled_one(torch.ones(3))"
        assert (one.file, one.text, one.package) == (__file__, text, "")
        assert one.inside == 'shapes/core.py:6  `print("", end="")`'


def test_functions_of_numpy_are_one_line(tmp_path):
    if lacking(PROGRAMS["numpy_in_a_function_that_is_left_to_python"]):
        return
    torch._dynamo.reset()
    with depyf.prepare_debug(tmp_path) as session:
        PROGRAMS["numpy_in_a_function_that_is_left_to_python"].run()
    report = report_of(session)
    if any("skipfiles" in one.reason for one in session.skips):  # torch 2.13 and later tells of them
        (line,) = [line for line in answer_lines(report) if "by rule" in line]
        assert line == f"  and {report.left['numpy']} functions of numpy, which Dynamo leaves to Python by rule"
        assert line[6:] in (tmp_path / "README.md").read_text()
    assert [one for one in report.remarks if one.package and one.is_finding] == []


def no_backward(module, inputs):
    raise ValueError("this backend has no backward")


def test_a_backward_graph_that_can_not_be_compiled_raised_where_it_was_needed(tmp_path):
    torch._dynamo.reset()
    backend = aot_autograd(fw_compiler=lambda module, inputs: module, bw_compiler=no_backward)
    with depyf.prepare_debug(tmp_path) as session:
        result = torch.compile(lambda x: x.sin().sum(), backend=backend)(torch.ones(3, requires_grad=True))
        with pytest.raises(Exception, match="this backend has no backward"):
            result.backward()
    report = report_of(session)
    (one,) = [one for one in report.remarks if one.is_finding]
    assert (one.kind, one.text, report.counts["raised"]) == ("raised", "result.backward()", 1)
    assert "compiling the backward graph: " in one.words and "this backend has no backward" in one.words
    assert report.counts["functions"] == 1 and report.counts["uncompiled"] == 0


def test_an_error_of_a_backward_pass_that_is_compiled_is_the_programs(tmp_path):
    torch._dynamo.reset()
    x = torch.ones(3, requires_grad=True)
    with depyf.prepare_debug(tmp_path) as session:
        result = torch.compile(lambda x: x.sin().sum(), backend="aot_eager")(x)
        result.backward()
        with pytest.raises(RuntimeError, match="backward through the graph a second time"):
            result.backward()
    assert not session.refusals


def test_a_call_that_a_stance_forbids_raised(tmp_path):
    if not hasattr(torch.compiler, "set_stance"):  # torch 2.6
        return
    torch._dynamo.reset()
    step = torch.compile(lambda x: x + 1, backend="eager")
    with depyf.prepare_debug(tmp_path) as session:
        step(torch.ones(3))
        with torch.compiler.set_stance("fail_on_recompile"):
            step(torch.ones(3))
            with pytest.raises(RuntimeError, match="fail_on_recompile"):
                step(torch.ones(3, dtype=torch.float64))
    (one,) = [one for one in report_of(session).remarks if one.is_finding]
    assert one.kind == "raised" and one.text == "step(torch.ones(3, dtype=torch.float64))"
    assert "which the stance 'fail_on_recompile' forbids" in one.words
    at = f"{os.path.basename(__file__)}:{step.__wrapped__.__code__.co_firstlineno}"
    assert one.unfit == [f"0/0 did not fit: x.dtype == float32; it is float64 now ({at})"]


def test_listening_to_stances_is_nothing_that_dynamo_looks_at(monkeypatch, tmp_path):
    """In 2.6 it looks at the stance while it is on, where the program calls a disabled function: one frame more."""
    if not hasattr(torch.compiler, "set_stance"):  # torch 2.6
        return
    set_eval_frame = torch._C._dynamo.eval_frame.set_eval_frame
    heard = []

    def hear(_, before):
        heard.append(set_eval_frame(None))
        set_eval_frame(heard[-1])
        return before

    monkeypatch.setattr(outcome_hooks, "_heard", hear)
    with depyf.prepare_debug(tmp_path):
        torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))
        before = set_eval_frame(False)
        try:
            torch._dynamo.eval_frame._callback_from_stance(None)
        finally:
            set_eval_frame(before)
    assert heard[-1] is None


@pytest.mark.parametrize("value, words", [
    ("TensorVariable()", "a tensor's value"), ("SymNodeVariable()", "a number that is known only when it runs"),
])  # fmt: skip
def test_a_branch_on_a_size_is_no_branch_on_a_tensor(value, words):
    text = "Data-dependent branching\n  Developer debug context: attempted to jump with " + value
    assert graph_break_from_reason(text).reason == "the branch depends on " + words


def test_an_exception_that_dynamo_has_observed_is_named():
    text = "Observed exception\n  Explanation: None.\n  Developer debug context: raised exception KeyError('c')"
    one = graph_break_from_reason(text)
    assert (one.reason, one.gb_type) == ("Observed exception: KeyError('c')", "Observed exception")


def test_a_method_of_an_object_is_shown_by_its_name():
    text = "Found in <bound method HigherOrderOperator.name of <torch._higher_order_ops.cond.CondOp object at 0x7f00>>"
    assert graph_break_from_reason(text).reason == "Found in HigherOrderOperator.name"
