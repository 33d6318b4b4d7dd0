"""Why something was compiled again: every compilation that did not fit, while it is recorded and after the fact."""

import collections
import enum
import json
import re

import pytest
from forks import TORCH

from depyf.explain.frames.circumstances import RecompilingCall
from depyf.explain.frames.recompiles import add_reasons, reason_from_text
from depyf.explain.model import CacheEntry
from depyf.explain.report.remarks.findings import changes_words
from depyf.explain.report.why import recompile_words
from depyf.explain.torch_facts.torch_keeps import guard_failures

torch = pytest.importorskip("torch")

PROGRAM = '''
import json
import sys

import torch

import depyf


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = torch.nn.Dropout(0.5)

    def forward(self, x):
        return self.drop(x) + 1


def shift(x, by, flag=True):
    if flag:
        x = x * 2
    return x + by


def goes_on(x, n):
    print("here")
    return x + n


model = Model()
forward, shifted, resumed = [torch.compile(one, backend="eager", dynamic=False) for one in (model, shift, goes_on)]
with depyf.prepare_debug(sys.argv[1]) as session:
    x = torch.ones(2, 3)
    forward(x)
    with torch.no_grad():
        model.eval()
        forward(x)
        model.train()
        forward(x)
    shifted(x, 1.0)
    shifted(x, 2.0)
    shifted(torch.ones(4, 3), 2.0)
    shifted(x, torch.ones(1), False)
    resumed(x, 1)
    resumed(x, 2)
print(json.dumps({
    "recorded": session.to_dict(),
    "afterwards": {name: depyf.inspect(one).to_dict() for name, one in (
        ("forward", forward), ("shift", shifted), ("goes_on", resumed))},
    "kept": {frame.name: [str(text) for text in torch._dynamo.utils.guard_failures.get(frame.code, ())]
             for frame in session.frames},
}))
'''


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = tmp_path_factory.mktemp("recompiles")
    (home / "program.py").write_text(PROGRAM)
    return home


@pytest.fixture(scope="module")
def told(home):
    done = TORCH.run(home / "program.py", home / "dump")
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def dump(home, told):
    return {path.name: path.read_text() for path in (home / "dump").iterdir() if path.is_file()}


def entries_of(session, name):
    return next(frame for frame in session["frames"] if frame["name"] == name)["entries"]


def number(compile_id):
    return compile_id.partition("/")[2]


@pytest.mark.parametrize("name", ["forward", "shift"])
def test_each_compilation_that_was_there_has_its_reason(told, name):
    for at, entry in enumerate(entries_of(told["recorded"], name)):
        assert sorted(number(one["compile_id"]) for one in entry["recompiled"]) == [str(n) for n in range(at)]
        assert len(entry["recompile_reasons"]) == len(entry["actual_values"]) == at


def test_no_reason_that_torch_keeps_is_missing(told):
    for name in ("forward", "shift"):
        reasons = [one for entry in entries_of(told["recorded"], name) for one in entry["recompile_reasons"]]
        kept = [text.strip().splitlines()[0] for text in told["kept"][name]]
        assert len(reasons) == len(kept) > 0
        for reason, text in zip(reasons, kept):
            if "_id(" not in text:  # checks by the ids of objects are told by what they are
                assert text.split(": ", 1)[-1].strip() in reason


def test_a_mode_behind_another_is_not_hidden(told, dump):
    (third,) = entries_of(told["recorded"], "forward")[2:]
    one = next(one for one in third["recompiled"] if number(one["compile_id"]) == "1")
    assert ".training" in one["guard"]
    assert (one["expected"], one["actual"]) == ("False", "True")
    assert one["remedy"] == ""  # nothing is to be done about train() and eval()
    assert "training" in dump["README.md"].partition("## Compiled again")[2].partition("\n## ")[0]


def test_the_title_is_what_the_program_calls_it(told, dump):
    called = {frame["called"] for frame in told["recorded"]["frames"] if frame["name"] == "forward"}
    assert len(called) == 1
    (name,) = called
    assert name.endswith(".forward") and name[0].isupper()
    assert "## {}  (".format(name) in dump["README.md"]


def test_grad_mode_has_what_it_was_and_what_it_is(told):
    second = entries_of(told["recorded"], "forward")[1]
    (one,) = second["recompiled"]
    if "grad_mode" not in one["guard"]:  # torch 2.2 says no more than that the state differs
        assert "global_state" in one["guard"].lower()
        return
    assert (one["expected"], one["actual"]) == ("on", "off")


def test_expected_and_actual_values_and_what_to_do(told, dump):
    second, third, fourth = entries_of(told["recorded"], "shift")[1:]
    (one,) = second["recompiled"]
    assert (one["subject"], one["expected"], one["actual"]) == ("by", "1.0", "2.0")
    assert "make by a tensor" in one["remedy"]
    one = next(one for one in third["recompiled"] if "size" in one["guard"])
    assert (one["expected"], one["actual"]) == ("2", "4")
    assert "dynamic=False" in one["remedy"]  # which the program asks for
    assert any(one["actual"] == "a tensor" or "type(" in one["guard"] for one in fourth["recompiled"])
    page = dump["full_code_for_shift_0.py"]
    assert "by == 1.0; it is 2.0 now" in page
    assert page.count("did not fit") >= 6
    assert "# What to do: " in page
    compile(page, "page", "exec", dont_inherit=True)


def test_the_index_has_every_reason_in_the_order_of_the_calls(told, dump):
    section = dump["README.md"].partition("## Compiled again")[2].partition("\n## ")[0]
    heads = [line for line in section.splitlines() if line.startswith("- ")]
    ids = [re.findall(r"\d+/\d+", line)[0] for line in heads if "`shift`" in line]
    assert ids == [entry["compile_id"] for entry in entries_of(told["recorded"], "shift")[1:]]
    every = [one for frame in told["recorded"]["frames"] for entry in frame["entries"] for one in entry["recompiled"]]
    ids = [one for line in section.splitlines() for one in re.findall(r"\d+/\d+", line.partition(" did not fit")[0])
           if " did not fit" in line]  # fmt: skip
    assert len(ids) == len(every) > 8
    for one in every:
        now = "is {} now".format(one["actual"])  # in other words than torch's: ``x.shape[0] == 3; it is 4 now``
        assert one["words"] in section or one["actual"] and now in section
        assert one["remedy"] in section


def test_resume_functions_have_their_reasons(told):
    resumed = [frame for frame in told["recorded"]["frames"] if frame["is_resume"]]
    (one,) = [one for frame in resumed for entry in frame["entries"] for one in entry["recompiled"]]
    assert one["subject"] == "n" and one["expected"] == "1" and one["actual"] == "2"


@pytest.mark.parametrize("name", ["forward", "shift"])
def test_after_the_fact_they_are_those_of_the_recording(told, name):
    recorded = [[one["guard"] for one in entry["recompiled"]] for entry in entries_of(told["recorded"], name)]
    kept = [[one["guard"] for one in entry["recompiled"]] for entry in entries_of(told["afterwards"][name], name)]
    assert kept == recorded


def test_the_line_that_asked_is_there_however_torch_tells_it():
    one = reason_from_text("0/1: n == 2  # return x * n  # f.py:3 in f")
    assert (one.compile_id, one.guard, one.user_line.line) == ("0/1", "n == 2", 3)
    one = reason_from_text('0/1: n == 2\nUser stack trace:\n  File "/x/f.py", line 7, in f\n    return x * n\n')
    assert (one.user_line.line, one.user_line.text, one.user_line.function) == (7, "return x * n", "f")


def test_nothing_is_said_where_torch_keeps_nothing():
    def never_compiled():
        pass

    assert guard_failures(never_compiled.__code__) == []


HERE = RecompilingCall({"xs": [1, 2, 3], "m": None, "n": 2.5}, {"G": 4}, {})


@pytest.mark.parametrize(
    ("text", "subject", "expected", "actual", "remedy"),
    [
        ("len(L['xs']) == 2", "len(xs)", "2", "3", "each length"),
        ("len(xs) != 2", "len(xs)", "2", "3", "each length"),
        ("not L['xs']", "len(xs)", "0", "3", "each length"),
        ("G['G'] == 3", "G", "3", "4", "make G a tensor"),
        ("type(L['n']).__name__ == 'int'", "type(n)", "int", "float", "each type"),
        ("expected type of 'm' to be a tensor type, ' but found <class 'NoneType'>", "m", "a tensor", "None", ""),
        ("expected type of 'm' to be <class 'torch.Tensor'>, but found <class 'NoneType'>", "m", "a tensor", "None",
         ""),
        ("tensor 'x' requires_grad mismatch. expected requires_grad=0", "x.requires_grad", "False", "True", ""),
        ("tensor 'x' stride mismatch at index 0. expected 3, actual 1", "x.stride(0)", "3", "1", "contiguous"),
        ("tensor 'x' dispatch key set mismatch. expected DispatchKeySet(CPU, AutogradCPU), actual "
         "DispatchKeySet(CUDA, AutogradCUDA)", "x", "on cpu", "on cuda", "device"),
        ("tensor 'x' dispatch key set mismatch. expected DispatchKeySet(CPU, AutogradCPU), actual "
         "DispatchKeySet(CPU)", "x", "outside of inference mode", "in or from inference mode", ""),
        ("tensor 'x' dispatch key set mismatch. expected DispatchKeySet(CPU, AutocastCPU), actual "
         "DispatchKeySet(CPU)", "x", "in autocast", "outside of autocast", ""),
        ("tensor 'x' dispatch key set mismatch. expected DispatchKeySet(CPU, Conjugate), actual "
         "DispatchKeySet(CPU)", "x", "dispatched with Conjugate",
         "dispatched without Conjugate", ""),
        ("tensor 'x' dtype mismatch. expected Float, actual Double", "x.dtype", "float32", "float64", "convert x"),
        ("L['n'] is L['m']", "n", "m", "another object", ""),
        ("L['m'] is L['n']", "m", "n", "None", ""),
        ("n is m", "n", "m", "another object", ""),
        ("L['m'] is None", "m", "None", "None", ""),
    ],
)  # fmt: skip
def test_what_was_expected_and_what_came(text, subject, expected, actual, remedy):
    one = reason_from_text("0/0: " + text, HERE)
    assert (one.compile_id, one.subject, one.expected, one.actual) == ("0/0", subject, expected, actual)
    assert remedy in one.remedy


def test_what_else_has_changed_stands_beside_torchs_reason():
    before = {"0/0": {"grad mode": "on", "self.training": "True", "determinism": "off"}}
    now = {"grad mode": "off", "self.training": "False", "determinism": "off"}
    entry = CacheEntry()
    add_reasons(entry, ["0/0: GLOBAL_STATE changed: grad_mode"], RecompilingCall({}, {}, now), before)
    (one,) = entry.recompiled
    assert (one.subject, one.expected, one.actual) == ("grad mode", "on", "off")
    assert one.besides == ["self.training was True and is False now"]
    (words,) = recompile_words(entry)
    assert "grad mode was on and is off now; besides, self.training was True and is False now" in words


@pytest.mark.parametrize("text, words", [
    ("_dynamo_dynamic_indices should be absent but is present on runtime tensor",
     "x was not marked by mark_dynamic, and is now"),
    ("_dynamo_weak_dynamic_indices should be absent but is present on runtime tensor",
     "a tensor was not marked by maybe_mark_dynamic, and is now"),
    ("_has_dynamo_dim_marking is present on runtime tensor but was absent at compile time",
     "a tensor was not marked by mark_dynamic or a function like it, and is now"),
    ("_dynamo_dynamic_indices not a subset: runtime {1, 2} is not a subset of compiled {0}",
     "mark_dynamic was on dimension 0 of x, and is on 1, 2 now"),
    ("hasattr(L['y'], '_dynamo_static_indices') == False", "y was not marked by mark_static, and is now"),
    ("((L['y']._dynamo_dynamic_indices.issubset({0})) if hasattr(L['y'], '_dynamo_dynamic_indices') else True)",
     "mark_dynamic was on dimension 0 of y, and is on others now"),
])  # fmt: skip
def test_marks_of_dimensions_are_told_by_the_functions_that_make_them(text, words):
    tensors = {"x": torch.ones(2), "y": torch.ones(2), "n": 3}
    tensors["x"]._dynamo_dynamic_indices = {1, 2}
    one = reason_from_text("0/0: " + text, RecompilingCall(tensors, {}, {}))
    assert one.words == words and not one.expected and not one.actual
    assert one.remedy == ("" if "a tensor" in words else f"mark {one.subject} in the same way before each call")


@pytest.mark.parametrize("text, words", [
    ("2 <= L['x'].size()[0]", "x.shape[0] was at least 2, then 1 (sizes 0 and 1 are always compiled by themselves)"),
    ("2 <= y.size()[1]", "y.shape[1] was at least 2, then 7"),
    ("y.size()[1] <= 5", "y.shape[1] was at most 5, then 7"),
    ("8 <= L['y'].size()[1] <= 10", "y.shape[1] was from 8 to 10, then 7"),
    ("6 <= n", "n was at least 6, then 3"),
    ("(L['y'].size()[1] % 2) == 0", "no longer true: (y.shape[1] % 2) == 0; y.shape[1] is 7 now"),
    ("Mod(L['self'].n, 2) == 0", "no longer true: Mod(self.n, 2) == 0"),
    ("L['x'].size()[0] == L['y'].size()[0]",
     "no longer true: x.shape[0] == y.shape[0] (x.shape[0] is 1, y.shape[0] is 4 now)"),
    ("2 <= L['x'].size()[3]", "no longer true: 2 <= x.shape[3]"),
    ("2 <= L['z'].size()[0] and n == 4", "no longer true: 2 <= z.shape[0] and n == 4"),
    ("2 <= L['sub'].size()[0]", "no longer true: 2 <= sub.shape[0]"),
])  # fmt: skip
def test_numbers_in_a_check_are_told_as_they_are_now(text, words):
    class Asked(torch.Tensor):
        @property
        def shape(self):
            raise AssertionError("code of the program")

    inputs = {"x": torch.ones(1), "y": torch.ones(4, 7), "n": 3, "sub": torch.ones(1).as_subclass(Asked)}
    assert changes_words([reason_from_text("0/0: " + text, RecompilingCall(inputs, {}, {}))]) == words


def test_functions_are_told_by_their_names():
    call = RecompilingCall({"f": len}, {}, {})
    same = "0/{}: L['f'] is the object it was, type=<class 'builtin_function_or_method'>"
    reasons = [reason_from_text(same.format(0), call)]
    call.local_names["f"] = lambda x: x
    reasons += [reason_from_text(text, call) for text in (same.format(0), "0/2: L['f'].__code__ is the object it was")]
    line = test_functions_are_told_by_their_names.__code__.co_firstlineno + 4
    assert changes_words(reasons) == f"f was one built-in function, then len, the lambda of line {line}"


def test_values_inside_of_objects_are_told():
    class Pair(collections.namedtuple("Pair", "a b")):
        __slots__ = ()

    class Slotted:
        __slots__ = ("n", "unset")

    class Proxy:
        @property
        def __class__(self):
            raise AssertionError("code of the program")

        __dict__ = __class__

    color = enum.Enum("Color", "RED BLUE")
    slotted = Slotted()
    slotted.n = 5
    names = {"p": Pair(1, 3), "s": slotted, "color": color.BLUE, "proxy": Proxy(), "n": 5,
              "m": torch.nn.ModuleList([torch.nn.ReLU(), torch.nn.ReLU()])}  # fmt: skip
    for text, words in (
        ("L['p'].b == 2", "p.b was 2, then 3"),
        ("L['p'].c == 2", "no longer true: p.c == 2"),
        ("L['s'].n == 4", "s.n was 4, then 5"),
        ("L['s'].unset == 4", "no longer true: s.unset == 4"),
        ("len(L['m']) == 3", "len(m) was 3, then 2"),
        ("n == 4  # _dynamo/output_graph.py:371 in init_ambient_guards", "n was 4, then 5"),
        ("L['proxy'] is the object it was, type=<class 'Proxy'>", "proxy was one Proxy, then another"),
        ("L['proxy'].n == 4", "no longer true: proxy.n == 4"),
        ("L['color'] is the object it was, type=<class 'Color'>", "color was another Color, then Color.BLUE"),
    ):
        assert changes_words([reason_from_text("0/0: " + text, RecompilingCall(names, {}, {}))]) == words


def test_a_global_that_is_gone_is_no_key():
    one = reason_from_text("0/0: KeyError on G['OFFSET']")
    assert (one.words, one.remedy) == ("there is no global OFFSET now", "")
