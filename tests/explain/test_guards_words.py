"""Guards in words: Dynamo's text for a guard, and what the page says and runs for it."""

from __future__ import annotations

import math
import types

import pytest
import torch

import depyf
from depyf.explain.guards import collect
from depyf.explain.guards.collect import collect_guards, split_verbose_part, stable_guard_text
from depyf.explain.guards.words import describe, user_spelling
from depyf.explain.model import CacheEntry, Frame, Guard, SourceLine
from depyf.explain.report.page.guard_text import guard_checks, guard_function

TENSOR = (
    "check_tensor(L['a'], Tensor, DispatchKeySet(CPU, BackendSelect, ADInplaceOrView, AutogradCPU), torch.float32, "
    "device=None, requires_grad=False, size=[None, 3], stride=[3, 1])"
)


class PrintedTree:
    """Stands for a guard manager: all that is read of it is its text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text


@pytest.mark.parametrize(
    ("kind", "code", "words"),
    [
        ("TENSOR_MATCH", TENSOR, "a: CPU float32 tensor of shape [any, 3], stride [3, 1], no grad"),
        (
            "TENSOR_MATCH",
            TENSOR.replace("CPU", "CUDA").replace("device=None", "device=0").replace("grad=False", "grad=True"),
            "a: cuda:0 float32 tensor of shape [any, 3], stride [3, 1], needs grad",
        ),
        ("NO_TENSOR_ALIASING", "check_no_aliasing(L['a'], L['b'], G['T'])", "a, b and T are different tensors"),
        ("TYPE_MATCH", "___check_type_id(L['d'], 1407140551430), type=<class 'dict'>", "d is exactly of type dict"),
        ("LENGTH_CHECK", "len(L['l']) == 2", "l has 2 items"),
        ("LENGTH_CHECK", "len(L['l']) == 1", "l has 1 item"),
        ("LENGTH_CHECK", "not L['l']", "l is empty"),
        ("EQUALS_MATCH", "L['self']._modules['seq']._modules['1'].p == 0.5", "self.seq[1].p == 0.5"),
        ("DICT_CONTAINS", "not ___dict_contains('forward', L['self'].__dict__)", "self.__dict__ has no key 'forward'"),
        ("LAMBDA_GUARD", "2 <= L['x'].size()[0]", "2 <= x.shape[0]"),
        ("ID_MATCH", "___check_obj_id(L['f'].__code__, 140714047181072), type=<class 'code'>",
         "f is still a function with the same code"),
        ("ID_MATCH", "___check_obj_id(L['kind'], 140714047181072), type=<class 'app.Kind'>",
         "kind is still the same object (app.Kind)"),
        ("LAMBDA_GUARD", "torch._functorch.aot_autograd.utils.top_saved_tensors_hooks ids == None",
         "hooks on saved tensors are as they were"),
        ("SET_CONTAINS", "not set.__contains__(G['st'], 1)", "1 not in st"),
        ("TUPLE_ITERATOR_LEN", "___tuple_iterator_len(L['it']) == 2", "it has 2 items left"),
        ("EQUALS_MATCH", "___tuple_iterator_getitem(L['it'], 0) == 1", "item 0 of it == 1"),
        ("EQUALS_MATCH", "L['dev'] == device(type='cpu')", "dev == device(type='cpu')"),
        ("SOMETHING_NEW", "@@ no python @@", "@@ no python @@"),
    ],
)
def test_words(kind: str, code: str, words: str) -> None:
    assert describe(kind, code, None, {}).words == words


def test_spelling_of_sources() -> None:
    assert user_spelling("L['self']._modules['lin']._parameters['weight']") == "self.lin.weight"
    assert user_spelling("G['__import_torch_dot_nn_dot_modules_dot_linear'].F") == "torch.nn.modules.linear.F"
    assert user_spelling("G['__builtins_dict___7']['len']") == "len"
    inside = "G['__builtins_dict___7']['object'].__getattribute__(L['self'].config, 'names')"
    assert user_spelling(inside + "['a']") == "self.config.names['a']"
    twice = f"object.__getattribute__({inside}, 'value') == 3"
    assert user_spelling(twice) == "self.config.names.value == 3"


def test_what_can_run() -> None:
    guard = describe("TENSOR_MATCH", TENSOR, None, {})
    assert guard.runnable
    assert guard.run.startswith("tensor_is(L['a'], 'Tensor', 'cpu', torch.float32, requires_grad=False")
    assert not describe("TENSOR_MATCH", TENSOR.replace("L['a']", "___from_numpy(L['a'])"), None, {}).runnable
    assert not describe("ID_MATCH", "___check_obj_id(L['c'], 14071348221), type=<class 'm.C'>", None, {}).runnable


def test_expressions_on_a_number_that_dynamo_made_a_tensor_run_and_read_as_the_number() -> None:
    guard = describe("LAMBDA_GUARD", "not math.isnan(___as_tensor(L['n']).item())", None, {})
    assert guard.words == "not math.isnan(n)"
    assert guard.runnable
    run = {"L": {"n": 2.5}, "torch": torch, "math": math}
    assert eval(guard.run, run)
    assert not eval(guard.run, {**run, "L": {"n": math.nan}})
    same = describe("LAMBDA_GUARD", "L['n'] == ___as_tensor(L['n']).item()", None, {})
    assert same.words == "n is a number, not NaN"
    assert eval(same.run, {**run, "L": {"n": 0.1}})  # with all its digits


def test_identity_of_a_global_runs_by_its_import_path() -> None:
    code = "___check_obj_id(G['m'].sin, {}), type=<class 'builtin_function_or_method'>".format(id(math.sin))
    guard = describe("ID_MATCH", code, None, {"m": math})
    assert (guard.runnable, guard.run) == (True, "G['m'].sin is math.sin")
    assert guard.words == "m.sin is still the same object"
    rebound = describe("ID_MATCH", code.replace(str(id(math.sin)), str(id(math.cos))), None, {"m": math})
    assert not rebound.runnable


def test_evaluating_a_source_runs_no_code_of_the_user() -> None:
    class Trap:
        def __getattr__(self, name: str) -> None:
            raise AssertionError("a property of the user's object was read")

    guard = describe("ID_MATCH", "___check_obj_id(G['t'].x, 12345678), type=<class 'm.C'>", None, {"t": Trap()})
    assert not guard.runnable


@pytest.mark.parametrize(
    ("text", "code", "line", "user_text"),
    [
        ("L['n'] == 3   # return y[:n]  # rp/toy.py:35 in dyn", "L['n'] == 3", 35, "return y[:n]"),
        ("L['n'] == 3   # x = 1  # why  # rp/toy.py:35 in dyn", "L['n'] == 3", 35, "x = 1  # why"),
        ("L['n'] == 3  # y = n  # a/b.py:7 in f (HINT: see # 3)", "L['n'] == 3", 7, "y = n"),
        ("L['n'] is None               #   # <string>:6 in __init__", "L['n'] is None", 6, ""),
        ("utils_device.CURRENT_DEVICE == None   # _dynamo/output_graph.py:1122 in init_ambient_guards",
         "utils_device.CURRENT_DEVICE == None", 1122, ""),
    ],
)
def test_the_line_that_asked(text: str, code: str, line: int, user_text: str) -> None:
    found_code, found = split_verbose_part(text)
    assert found is not None
    assert (found_code, found.line, found.text) == (code, line, user_text)


def test_no_line() -> None:
    assert split_verbose_part("L['n'] == 3") == ("L['n'] == 3", None)


def test_the_frames_own_file_is_named_in_full() -> None:
    _, line = split_verbose_part("L['n'] == 3  # y  # rp/toy.py:3 in f", "/home/me/rp/toy.py")
    assert line is not None
    assert line.filename == "/home/me/rp/toy.py"


def test_tree() -> None:
    tree = "\n".join(
        [
            "TREE_GUARD_MANAGER:",
            "+- RootGuardManager",
            "| +- GLOBAL_STATE: ___check_global_state() against {}",
            "| +- GuardManager: source=L['n'], accessed_by=FrameLocalsGuardAccessor(key='n', framelocals_idx=1)",
            "| | +- EQUALS_MATCH: L['n'] == 3   # return y[:n]  # rp/toy.py:35 in dyn",
            "| | +- DIMENSION_DYNAMIC_MARKING_GUARD: hasattr(L['a'], '_dynamo_x') == False  # y  # t.py:1 in f",
            "| | +- NO_TENSOR_ALIASING",
            "+- LAMBDA_GUARD: 2 <= L['n']  # return y[:n]  # rp/toy.py:35 in dyn (_prims/x.py:322 in is_contiguous)",
        ]
    )
    guards, printed = collect_guards(PrintedTree(tree))
    assert [(g.words, g.is_bookkeeping) for g in guards if not g.is_bookkeeping] == [
        ("n == 3", False),
        ("2 <= n", False),
    ]
    assert len(guards) == 4
    assert guards[-1].user_line is not None
    assert guards[-1].user_line.line == 35
    assert printed == tree


def test_notes_of_dynamo_in_few_words() -> None:
    tree = (
        "+- LAMBDA_GUARD: 2 <= L['x'].size()[0]  # y = x  # toy.py:3 in f (not due user code but due to "
        "0/1 specialization in the framework)\n"
        "+- LAMBDA_GUARD: L['y'].size()[0] == L['x'].size()[1]  # duck sizing added this equality because (...)"
    )
    guards, _ = collect_guards(PrintedTree(tree))
    assert guards[0].words == "2 <= x.shape[0]  (0 and 1 are always compiled by themselves)"
    assert guards[1].words.startswith("y.shape[0] == x.shape[1]  (equal when it was compiled")
    assert [guard.run for guard in guards] == ["2 <= L['x'].size()[0]", "L['y'].size()[0] == L['x'].size()[1]"]


def test_no_ids_in_text() -> None:
    text = "___check_obj_id(G['torch'], 140163974245456), type=<class 'module'>"
    assert stable_guard_text(text) == "___check_obj_id(G['torch'], <id>), type=<class 'module'>"
    guards, printed = collect_guards(PrintedTree("| +- ID_MATCH: " + text))
    assert "140163974245456" not in printed + guards[0].code + guards[0].words


class ManagerWithReprs:
    """The tree of torch 2.11: the `repr` of an object whose identity is guarded, line breaks, address and path."""

    def __str__(self) -> str:
        return """TREE_GUARD_MANAGER:
+- RootGuardManager
| +- ID_MATCH: ___check_obj_id(L['m'], 140714047181072), type=Sequential(
  (0): Linear(in_features=3, out_features=4, bias=True)
)  # return m(x)  # app/main.py:7 in f
| | +- ID_MATCH: ___check_obj_id(G['torch'], 140714047181072), type=<module 'torch' from '/some/torch/__init__.py'>
| | +- ID_MATCH: ___check_obj_id(G['torch'].abs, 140714047181073), type=<built-in method abs at 0x7efcc2145000>
"""


def test_reprs_of_guarded_objects() -> None:
    guards, tree = collect_guards(ManagerWithReprs())
    assert [guard.words for guard in guards] == [
        "m is still the same object", "torch is still the same object", "torch.abs is still the same object",
    ]
    line = guards[0].user_line
    assert line is not None and (line.line, line.text) == (7, "return m(x)")
    assert "0x7" not in tree and "/some/torch" not in tree and "14071404718" not in tree
    assert len(tree.splitlines()) == 5


def test_what_comes_in_is_first():
    lines = [SourceLine("/a/m.py", number, "x{}()".format(number)) for number in range(1, 9)]
    asked = [Guard("L['a']", "EQUALS_MATCH", "a", "a == {}".format(line.line), line) for line in lines]
    tensor = Guard("L['x']", "TENSOR_MATCH", "x", "x: CPU float32 tensor of shape [2, 6]", lines[7])
    text = guard_function(_entry_of([*asked, tensor]), Frame("f"), "guards_0_for_f.txt")
    words = [line.strip("# ") for line in text.splitlines() if line.startswith("    #")]
    assert words[0] == "tensors that come in"
    assert words[1].split("  ")[0] == "x: CPU float32 tensor of shape [2, 6]" and words[1].endswith("  m.py:8")
    headings = [at for at, line in enumerate(words) if line.startswith("x") and "()" in line]
    assert len(headings) == 8 and all(words[at + 1].startswith("a == ") for at in headings)


def _entry_of(guards):
    return CacheEntry("0/0", guards=guards, transformed_name="__transformed_code_0_for_f")


def _of_layers(count):
    """Guards as Dynamo asks for them in a model: an argument, then each layer's class, number, weight and flag."""
    found = [Guard("", "NONE_MATCH", name, name + " is None", SourceLine("/a/m.py", 3, "f()")) for name in "abc"]
    for n in range(count):
        name, key = "self.h[{}]".format(n), "L['self']._modules['h']._modules['{}']".format(n)
        for kind, part, words, run in [
            ("TYPE_MATCH", "", " is exactly of type m.Layer", "type({}).__name__ == 'Layer'"),
            ("EQUALS_MATCH", ".idx", " == {}".format(n), "{{}}.idx == {}".format(n)),
            ("TENSOR_MATCH", ".w", ": CPU float32 Parameter of shape [3]", "{}._parameters['w'].shape == (3,)"),
            ("FALSE_MATCH", "", " is in evaluation mode", "{}.training == False"),
        ]:
            line = SourceLine("/a/m.py", 10 + 10 * n + len(part), "{}({})".format(kind, n))
            found.append(Guard("", kind, name + part, name + part + words, line, runnable=True, run=run.format(key)))
    tensor = "x: CPU float32 tensor of shape [2, 6]"
    return [*found, Guard("", "TENSOR_MATCH", "x", tensor, SourceLine("/a/m.py", 9, "x()"))]


def test_guards_of_a_model_are_a_row_for_each_argument_and_layer():
    entry = _entry_of(_of_layers(24))
    text = guard_function(entry, Frame("f"), "guards_0_for_f.txt")
    words = [line[len("    # ") :] for line in text.splitlines() if line.startswith("    #")]
    assert words == [
        "x  CPU float32 tensor of shape [2, 6]",
        "a, b and c  are None",
        "self.h[n]  (n = 0 to 23)  Layer; .idx == n; .w: CPU float32 Parameter of shape [3]; is in evaluation mode",
        "each with the line that asked for it: guards_0_for_f.txt",
        "4 of these checks need objects of that process: they are not run here",
    ]


def test_what_has_no_room_is_counted():
    names = ["m{}x.y{}z.w".format(n, n) for n in range(100)]
    guards = [
        Guard("", "EQUALS_MATCH", name, "{} == {}".format(name, "w" * 40), SourceLine("/a/m.py", at, "f()"))
        for at, name in enumerate(names)
    ]
    text = guard_function(_entry_of(guards), Frame("f"), "guards_0_for_f.txt")
    shown = sum(name in text for name in names)
    assert 12 < shown < 20 and "# and {} more, each with".format(100 - shown) in text


class Layer:
    def __init__(self, number):
        self.idx, self.training = number, False
        self._parameters = {"w": torch.zeros(3)}


@pytest.mark.parametrize("differs, value, holds", [("training", True, False), ("idx", 0, False), ("idx", 17, True)])
def test_checks_of_layers_are_one_loop_that_checks_each(differs, value, holds):
    entry = _entry_of(_of_layers(24))
    text = guard_function(entry, Frame("f"), "guards.txt") + guard_checks(entry, Frame("f"))
    assert "range(24)" in text and text.count("_modules['h']") == 1
    layers = {str(number): Layer(number) for number in range(24)}
    setattr(layers["17"], differs, value)
    model = types.SimpleNamespace(_modules={"h": types.SimpleNamespace(_modules=layers)})
    names = {}
    exec(text, names)
    assert names["__guard_0_for_f"]({"self": model}, {}) is holds
    del layers["23"]
    assert names["__guard_0_for_f"]({"self": model}, {}) is False


def test_what_is_said_of_a_guard_does_not_depend_on_guards_of_other_modules(monkeypatch):
    """Guards that differ in the keys of modules alone are described once."""

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            blocks = [torch.nn.Sequential(torch.nn.Conv2d(3, 3, 1), torch.nn.BatchNorm2d(3)) for _ in range(4)]
            self.first, self.lambda_, self.blocks, self.act = *blocks[:2], torch.nn.ModuleList(blocks[2:]), torch.relu

        def forward(self, x):
            x = self.lambda_(self.first(x))
            for block in self.blocks:
                x = self.act(block(x))
            return x

    torch._dynamo.reset()
    net = Net()
    torch.compile(net, backend="eager")(torch.randn(1, 3, 4, 4))
    manager = depyf.explain.torch_facts.torch_behavior.guard_manager_of(
        depyf.explain.torch_facts.torch_behavior.cache_entries(Net.forward.__code__)[0]
    )
    described = []
    monkeypatch.setattr(collect, "describe", lambda *given: described.append(given) or describe(*given))
    together, _ = collect_guards(manager, globals())
    once = len(described)
    monkeypatch.setattr(collect._Modules, "_may_stand_for_others", staticmethod(lambda *_: False))
    alone, _ = collect_guards(manager, globals())
    assert once < len(described) - once == len(together)
    assert together == alone
