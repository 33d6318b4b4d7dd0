"""What a report says of a compilation, where it once said what did not hold: advice, places, classes, first calls."""

from __future__ import annotations

from collections import deque
from types import SimpleNamespace

import pytest
from forks import DEPYF

import depyf
from depyf.explain.frames.circumstances import RecompilingCall
from depyf.explain.frames.graph_breaks import graph_break_from_reason
from depyf.explain.frames.recompiles import reason_from_text
from depyf.explain.model import CacheEntry, Frame, Refusal, Session, SourceLine
from depyf.explain.report.remarks.answer import answer_lines
from depyf.explain.report.remarks.findings import FOR_EVER, changes_words
from depyf.explain.report.remarks.for_index import index_sections
from depyf.explain.report.remarks.stored import report_of

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.usefixtures("fresh_dynamo")


def compiled(function, **options):
    return torch.compile(function, backend="eager", **options)


def unrolled(x):
    found = 0
    for row in range(x.shape[0]):
        found = found + x[row]
    return found


def looked_up(x, n):
    return x * (0, 0, 1, 2, 5)[n]


def times(x, n):
    return x * n


def told(model, kind="recompile"):
    return [one for one in report_of(model).remarks if one.kind == kind]


def recorded(tmp_path, function, calls, **options):
    with depyf.prepare_debug(tmp_path) as model:
        f = compiled(function, **options)
        for call in calls:
            f(*call)
    return model


@pytest.mark.parametrize(
    ("function", "calls"),
    [(unrolled, [(torch.ones(n),) for n in (3, 4, 5)]), (looked_up, [(torch.ones(2), n) for n in (2, 3, 4)])],
)
def test_what_is_a_constant_is_not_to_be_made_dynamic(tmp_path, function, calls):
    (one,) = told(recorded(tmp_path, function, calls))
    assert one.times == 2 and "takes it for a constant here" in one.instead
    assert "mark_dynamic" not in one.instead and "torch.compile(dynamic" not in one.instead


def test_to_mark_such_a_size_raises():
    x = torch.ones(3)
    torch._dynamo.mark_dynamic(x, 0)
    with pytest.raises(Exception, match=r"[Cc]onstraint"):
        compiled(unrolled)(x)


def test_what_became_dynamic_keeps_its_advice(tmp_path):
    (one,) = told(recorded(tmp_path, times, [(torch.ones(2), n) for n in (2, 3, 4)]))
    assert one.instead == "a number that changes: make n a tensor, or torch.compile(dynamic=True)"


def test_a_library_module_is_at_the_call_that_compiled_it_again(tmp_path):
    with depyf.prepare_debug(tmp_path) as model:
        f = compiled(torch.nn.Sequential(torch.nn.Linear(2, 2)))
        f(torch.ones(1, 2))
        with torch.no_grad():
            f(torch.ones(1, 2) + 1)
    (one,) = told(model)
    assert one.text == "f(torch.ones(1, 2) + 1)" and "grad mode was on, then off" in one.words


def test_a_change_of_state_names_the_call(tmp_path):
    with depyf.prepare_debug(tmp_path) as model:
        f = compiled(times)
        f(torch.ones(2), 3)
        with torch.no_grad():
            f(torch.ones(2), 3)
    (one,) = told(model)
    assert len(one.through) == 1 and "f(torch.ones(2), 3)" in one.through[0]
    assert any("called from " + one.through[0] in line for line in answer_lines(report_of(model)))


@pytest.mark.parametrize("first", [torch.ones(2), 3])
def test_a_first_call_without_anything_to_compile_is_told(tmp_path, first):
    def sum_of(x, *others):
        for other in others:
            x = x + other
        return x

    calls = [(first,), (torch.ones(2), torch.ones(2))]
    model = recorded(tmp_path, sum_of, calls)
    assert not model.frames  # not the later call either
    (one,) = told(model, "uncompiled")
    assert one.words.startswith("sum_of: nothing to compile in it") and one.became == FOR_EVER
    assert "1 function runs uncompiled" in answer_lines(report_of(model))[0]
    assert FOR_EVER in (tmp_path / "README.md").read_text()


def test_what_such_a_function_calls_is_no_finding(tmp_path):
    def nothing(x):
        return None

    def calls_it(x):
        torch._dynamo.graph_break()
        nothing(x)
        return x + 1

    assert not told(recorded(tmp_path, calls_it, [(torch.ones(2),)]), "uncompiled")


@torch.compiler.disable
def pick(x):
    return x[: int(x.sum())]


def keeps(x):
    return (x * 2).sum() + pick(x)


def test_a_recompilation_names_the_line_that_asked_and_the_call_that_dynamo_keeps(tmp_path):
    model = recorded(tmp_path, keeps, [(torch.ones(n),) for n in (3, 4)], dynamic=False)
    index = (tmp_path / "README.md").read_text()
    place = f"(test_words_that_hold.py:{keeps.__code__.co_firstlineno + 1})"
    kept = "pick(x)" if hasattr(keeps.__code__, "co_positions") else "(a value from before the graph break)"
    assert f"did not fit: x.shape[0] == 3; it is 4 now {place}" in index
    assert f"did not fit: {kept}.shape[0] == 3; it is 4 now {place}" in index
    assert "- the rest of `keeps` (" in index and "___stack" not in index
    assert "- Compiled again: once: `keeps`; the rest after a graph break, for the same reason, once\n" in index
    calls = [line for frame in model.frames for entry in frame.entries for line in entry.called_from]
    assert calls and not [line for line in calls if line.text.startswith(("@", "def "))]


def breaks_after_methods(x):
    y = x.sum().abs().sin().cos()
    torch._dynamo.graph_break()
    return y.sin()


def test_a_rest_continues_at_the_line_of_the_break_whatever_came_before(tmp_path):
    """Dynamo splits methods' instructions on 3.12 and later: offsets in names of its functions count the parts."""
    recorded(tmp_path, breaks_after_methods, [(torch.ones(3),)])
    line = breaks_after_methods.__code__.co_firstlineno + 2
    assert f" resume at line {line} " in (tmp_path / "README.md").read_text()


def test_a_range_is_no_value_that_has_come():
    reasons = [reason_from_text("0/0: " + check, RecompilingCall({"x": torch.ones(n)}, {}, {})) for check, n in (
        ("tensor 'x' size mismatch at index 0. expected 2, actual 5", 5), ("5 <= L['x'].size()[0]", 3))]  # fmt: skip
    assert changes_words(reasons) == "x.shape[0] was 2, then 5, 3"
    assert changes_words(reasons[1:]) == "x.shape[0] was at least 5, then 3"


def test_an_object_that_is_gone_is_told_as_that():
    said = words_of("Cache line invalidated because L['x'] got deallocated")
    assert said == "x, an object that it checks for, is gone"


def test_the_rest_of_a_function_is_told_as_that():
    line = SourceLine("/p/a.py", 24, "assert x")
    refused = Refusal("1/0", "torch_dynamo_resume_in_step_at_24", line, error="Unsupported")
    refused.why.reason = "no"
    session = Session(refusals=[refused])
    (one,) = told(session, "uncompiled")
    assert one.words == "the rest of step: no"
    assert "- no" in index_sections(session)


def words_of(check, **names):
    return changes_words([reason_from_text("0/0: " + check, RecompilingCall(names, {}, {}))])


class Scaled:
    scale = 3.0
    names = ("a", "b")


@pytest.mark.parametrize(
    ("check", "words"),
    [
        ("dict(type(L['self']).__dict__)['scale'] == 2.0", "type(self).scale was 2.0, then 3.0"),
        ("len(dict(type(L['self']).__dict__)['names']) == 1", "len(type(self).names) was 1, then 2"),
        ("not ___dict_contains('scale', L['self'].__dict__)",
         "self has no attribute scale of its own; it has one now"),
        ("L['self'].scale == 2.0", "self.scale was 2.0, then 3.0"),
        ("len(L['m']._forward_pre_hooks) == 1", "number of forward pre hooks of m was 1, then 0"),
        ("list(dict.keys(L['d']))[0] == 'a'", "the first key of d was 'a', then 'b'"),
        ("list(dict.keys(L['d']))[3] == 'a'", "no longer true: key 3 of d, counted from 0, is 'a'"),
        ("L['y'] is None", "y was None, then a tensor"),
        ("expected type of 'L['y']' to be a tensor type, ' but found <class '__main__.Sub'>",
         "type(y) was another class of tensors, then Sub"),
        ("expected type of 'L['y']' to be <class 'torch.nn.parameter.Parameter'>, but found <class 'torch.Tensor'>",
         "type(y) was Parameter, then Tensor"),
        ("tensor 'x' dispatch key set mismatch. expected DispatchKeySet(CPU, ADInplaceOrView, AutogradCPU), actual "
         "DispatchKeySet(MkldnnCPU, AutogradCPU)",
         "x was dispatched with ADInplaceOrView, CPU and without MkldnnCPU, then dispatched with MkldnnCPU and without "
         "ADInplaceOrView, CPU"),
        ("GLOBAL_STATE changed: grad_mode", "torch's global state has changed: grad mode"),
        ("BACKEND_MATCH failed", "it is compiled by another backend object now"),
        ("BACKEND_MATCH failure: torch.compile detected different backend callables. Cached backend: "
         "_TorchCompileWrapper(compiler='eager', dynamic=None) (id=0x7f). New backend: m.mine (id=0x7e). If this is "
         "unexpected, reuse it. More details: https://github.com/pytorch/pytorch/issues/168373",
         "the backend was eager, it is m.mine now (https://github.com/pytorch/pytorch/issues/168373)"),
        ("L['dtype'] == torch.bfloat16", "dtype was torch.bfloat16, then torch.float16"),
        ("L['fn'].__closure__[0].cell_contents == 1", "fn.__closure__[0].cell_contents was 1, then 2"),
        ("CodeGuardAccessor: Not a function on L['d'].__code__", "d was a function, then of type dict"),
        ("ClosureGuardAccessor: Not a function on L['m'].__closure__", "m was a function, then of type ReLU"),
        ("getattr failed on source L['sine'].__code__", "sine was a function, then sin"),
        ("len(L['d'][list(dict.keys(L['d']))[0]]) != 0", "no longer true: len(list(d.values())[0]) == 0"),
        ("len(L['d'][list(L['d'].keys())[0]]) == 3", "no longer true: len(list(d.values())[0]) == 3"),
        ("L['d'][list(dict.keys(L['d']))[0]] == 2", "list(d.values())[0] was 2, then 1"),
        ("L['d'][list(L['d'].keys())[0]] == 2", "list(d.values())[0] was 2, then 1"),
        ("len(L['m']._modules) == 1", "number of modules in m was 1, then 0"),
        ("(L['n'] % 2) != 0", "no longer true: (n % 2) != 0; n is 4 now"),
        ("TYPE_MISMATCH(L['d'])", "type(d) is another one now: dict"),
        ("len(L['q']) == 2", "len(q) was 2, then 3"),
        ("L['q'][0] == 1", "q[0] was 1, then 2"),
        ("check_overlapping(overlapping=[], non_overlapping=[x, y])", "no longer true: x, y do not overlap in memory"),
        ("check_overlapping(overlapping=[x, y], non_overlapping=[])", "no longer true: x, y overlap in memory"),
    ],
)  # fmt: skip
def test_checks_that_failed(check, words):
    names = {"self": Scaled(), "d": {"b": 1}, "y": torch.ones(2), "m": torch.nn.ReLU(), "dtype": torch.float16}
    assert words_of(check, **names, n=4, fn=closing_over(2), sine=torch.sin, q=deque([2, 3, 4])) == words


def closing_over(n):
    return lambda x: x * n


def test_a_modules_parts_are_called_as_its_forward_calls_them(tmp_path):
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout())
    with depyf.prepare_debug(tmp_path) as model:
        f = compiled(net)
        f(torch.ones(3, 2))
        net.eval()
        f(torch.ones(3, 2))
        f(torch.ones(3, 2).requires_grad_())
    said = [one.words + one.inside for one in told(model)]
    assert said and all(words.startswith("Sequential.forward: ") for words in said)
    assert not [words for words in said if "external_utils" in words or "fn" in words or "args" in words]


def test_a_branch_on_a_random_number_depends_on_no_tensor():
    text = ("Data-dependent branching\n  Explanation: Detected data-dependent branching.\n"
            "  Developer debug context: attempted to jump with {}\n")  # fmt: skip
    reasons = [graph_break_from_reason(text.format(kind)).reason for kind in (
        "UnspecializedPythonVariable()", "TensorVariable()")]  # fmt: skip
    assert [words.partition("depends on ")[2] for words in reasons] == [
        "a number that is known only when it runs", "a tensor's value",
    ]  # fmt: skip


def test_a_recompilation_that_the_settings_forbid_names_the_call_and_what_came(tmp_path):
    f = compiled(times)
    with depyf.prepare_debug(tmp_path) as model, torch._dynamo.config.patch(error_on_recompile=True):
        f(torch.ones(2), 2)
        with pytest.raises(Exception, match="Recompiling function"):
            f(torch.ones(2), 7)
    (one,) = told(model, "raised")
    assert one.text == "f(torch.ones(2), 7)" and "error_on_recompile forbids" in one.words
    assert [words.partition(": ")[2].partition(" (")[0] for words in one.unfit] == ["n == 2; it is 7 now"]


@pytest.mark.parametrize("value", [slice(0, 4), range(4)])
def test_parts_of_slices_and_ranges_are_not_to_be_made_tensors(value):
    one = reason_from_text("0/0: L['s'].stop == 3", RecompilingCall({"s": value}, {}, {}))
    assert one.remedy == "a number that changes: torch.compile(dynamic=True)"


def test_a_function_that_has_come_in_the_place_of_one_of_its_name_is_another():
    one = reason_from_text("0/0: ___check_obj_id(L['times'].__code__, 94004433616688)",
                           RecompilingCall({"times": times}, {}, {}))  # fmt: skip
    assert changes_words([one]) == "times was one function, then another"


def test_another_class_needs_no_advice():
    one = reason_from_text("0/0: ___check_obj_id(L['kls'], 94004433616688)", RecompilingCall({"kls": Scaled}, {}, {}))
    assert (changes_words([one]), one.remedy) == ("kls was another class, then Scaled", "")


def test_an_exception_is_told_without_dynamos_nouns():
    text = ("Observed exception\n  Explanation: Dynamo found no exception handler.\n  Developer debug context: raised "
            "exception ValueError([ConstantVariable(str: 'no (such) key'), ConstantVariable(int: 3)])\n")  # fmt: skip
    assert graph_break_from_reason(text).reason == "Observed exception: ValueError('no (such) key', 3)"


def test_an_assertion_without_words_is_not_told_twice():
    refused = Refusal("1/0", "f", SourceLine("/p/a.py", 24, "x"), error="AssertionError", raised=True)
    refused.why.reason = "AssertionError"
    (one,) = told(Session(refusals=[refused]), "raised")
    assert one.words == "AssertionError: an assertion of torch's own"


HOOKED = """
import sys, torch

def watch(event, args):
    if watch is None:
        print(event)

sys.addaudithook(watch)
f = torch.compile(lambda x: x.sin(), backend="eager", dynamic=True)
f(torch.ones(3))
"""


def test_an_audit_hook_is_no_function_that_was_given_to_torch_compile(tmp_path):
    (tmp_path / "hooked.py").write_text(HOOKED)
    done = DEPYF.run("-m", "depyf", "run", "-o", "dump", "hooked.py", cwd=tmp_path)
    assert done.returncode == 0 and "1 function compiled" in done.stderr
    assert "uncompiled" not in done.stderr and "watch" not in done.stderr


def test_an_empty_cell_has_no_value():
    def fn():
        return later

    assert words_of("L['fn'].__closure__[0].cell_contents == 1", fn=fn).startswith("no longer true: ")
    later = 1


@pytest.mark.parametrize("dynamic", [None, True])
def test_a_size_that_is_marked_as_static_is_told_as_that(tmp_path, dynamic):
    sizes = [torch.ones(n, 2) for n in (3, 4, 5)]
    for one in sizes:
        torch._dynamo.mark_static(one, 0)
    (one,) = told(recorded(tmp_path, torch.sin, [(one,) for one in sizes], dynamic=dynamic))
    assert one.instead == (
        "each size is compiled by itself, as mark_static asks: without it, one compilation serves several"
    )


def test_a_range_of_a_mark_is_not_told_as_equal_to_itself():
    text = ("Constraints violated (L['x'].size()[0])! For more information, run with TORCH_LOGS=\"+dynamic\".\n"
            "  - Not all values of L['x'].size()[0] = L['x'].size()[0] in the specified range L['x'].size()[0] <= 16 "
            "satisfy the generated guard (L['x'].size()[0] % 2) == 0.")  # fmt: skip
    words = graph_break_from_reason(text).reason
    assert words.startswith("Not all values of x.shape[0] in the specified range x.shape[0] <= 16 satisfy")


def test_a_break_of_a_librarys_own_is_not_told_as_the_users():
    text = ("Call to `torch._dynamo.graph_break()`\n  Explanation: User-inserted graph break. Message: None\n"
            "  Hint: Remove the `torch._dynamo.graph_break()` call.\n")  # fmt: skip
    own = SimpleNamespace(filename=__file__, lineno=3, line="opt.step()", name="f")
    inside = SimpleNamespace(filename=torch.optim.__file__, lineno=78, line="torch._dynamo.graph_break()",
                             name="g")  # fmt: skip
    assert graph_break_from_reason(text, [own]).explanation.startswith("User-inserted graph break")
    found = graph_break_from_reason(text, [own, inside])
    assert found.explanation.startswith("A graph break in the library's own code") and not found.hints


def test_what_a_stance_forbids_says_what_came(tmp_path):
    if not hasattr(torch.compiler, "set_stance"):  # torch 2.6
        return
    f = compiled(times)
    with depyf.prepare_debug(tmp_path) as model:
        f(torch.ones(2), 2)
        with torch.compiler.set_stance("fail_on_recompile"), pytest.raises(RuntimeError):
            f(torch.ones(2), 7)
    (one,) = told(model, "raised")
    assert all("n == 2; it is 7 now" in words for words in one.unfit)


def test_what_an_object_has_is_no_key():
    assert reason_from_text("0/0: not ___dict_contains('scale', L['self'].__dict__)").remedy == ""


def test_members_of_an_enumeration_need_no_advice():
    import enum

    color = enum.Enum("Color", "RED BLUE")
    for kind in (", type=<class 'Color'>", ""):  # torch 2.6 does not tell it
        one = reason_from_text(f"0/0: ___check_obj_id(L['c'], 94004433616688){kind}",
                               RecompilingCall({"c": color.BLUE}, {}, {}))  # fmt: skip
        assert (changes_words([one]), one.remedy) == ("c was another Color, then Color.BLUE", "")


def test_a_tensor_and_its_dispatch_are_not_one_change():
    frame = Frame("f", filename="/p/a.py", first_line=1)
    for number, check in enumerate(["L['x'] is None", "tensor 'L['x']' dispatch key set mismatch. expected "
                                    "DispatchKeySet(CPU), actual DispatchKeySet(CPU, AutogradCPU)"]):  # fmt: skip
        why = reason_from_text("0/0: " + check, RecompilingCall({"x": torch.ones(1)}, {}, {}))
        frame.entries.append(CacheEntry(f"0/{number + 1}", recompiled=[why]))
    assert len(told(Session(frames=[frame]))) == 2


@pytest.mark.parametrize("wide", [1, 2])
def test_a_link_that_is_longer_than_a_line_is_not_cut_off(wide):
    from depyf.explain.report.remarks.answer import _wrapped

    link = "https://docs.pytorch.org/" + "x" * 90
    lines = _wrapped(f"{'See ' * wide}{link} for tips on dealing with recompilations.")
    assert len(lines) == 2 and link in lines[1] and lines[1].endswith(" ...")
