"""What the pages of whole models have shown: each case is a few lines of a dump of bert, gpt2 or whisper."""

from __future__ import annotations

import dis
import json
import os
import textwrap
import types

import pytest
import torch

from depyf.explain.for_reading.bookkeeping import fold
from depyf.explain.frames import resume_points
from depyf.explain.frames.circumstances import RecompilingCall
from depyf.explain.frames.recompiles import reason_from_text
from depyf.explain.frames.refusals import Refusals
from depyf.explain.guards.words import describe
from depyf.explain.model import CacheEntry, Frame, Graph, GraphBreak, Guard, Refusal, Session, SourceLine
from depyf.explain.report.html.report_page import report_page
from depyf.explain.report.page.guard_text import guard_function
from depyf.explain.report.page.guards_by_argument import guards_by_argument
from depyf.explain.report.page.module_names import with_module_names
from depyf.explain.report.page.page import page_of
from depyf.explain.report.page.shortened import without_fetches
from depyf.explain.report.remarks.for_index import index_sections
from depyf.explain.report.remarks.made import remarks_of
from depyf.explain.report.remarks.over_source import source_lines
from depyf.explain.report.remarks.remark import Remark
from depyf.explain.report.remarks.stored import Report
from depyf.explain.report.tree import branches, tree_lines
from depyf.explain.report.why import found_words, recompile_words
from depyf.explain.torch_facts import torch_behavior


def text(source: str) -> str:
    return textwrap.dedent(source).strip("\n") + "\n"


def test_methods_of_builtin_classes_are_called_by_name() -> None:
    folded = fold(
        text(
            """
            def f(x):
                object_ = __import_builtins.object
                object_setattr, object_setattr_1 = object_.__setattr__, object_.__setattr__
                made = Box.__new__(Box)
                object_.__setattr__(made, 'loss', x)
                object_setattr_1(made, 'logits', None)
                del object_setattr_1
                object_setattr(made, 'cache', None)
                return made
            """
        ),
        known_names=frozenset({"x", "made"}),
    )
    assert folded.source == text(
        """
        def f(x):
            made = Box.__new__(Box)
            object.__setattr__(made, 'loss', x)
            object.__setattr__(made, 'logits', None)
            object.__setattr__(made, 'cache', None)
            return made
        """
    )
    assert "1 look-up of a builtin" in folded.describe()
    assert "3 copies of a name" in folded.describe()


def test_methods_of_what_is_no_builtin_class_keep_their_names() -> None:
    source = text(
        """
        def f(x, list):
            tmp_1 = list.append
            tmp_2 = Box.append
            g(x)
            tmp_1(x, 1)
            tmp_2(x, 2)
        """
    )
    assert fold(source).source == source


def test_results_have_their_names_once_the_copies_are_gone() -> None:
    source = text(
        """
        def f(x):
            graph_out = __compiled_fn_1(x)
            made = Box()
            loss = graph_out[0]
            made.loss = graph_out[0]
            made.again = loss
            return made
        """
    )
    folded = fold(source, {"__compiled_fn_1": ["loss"]}, frozenset({"x", "made"}))
    assert "    (loss,) = __compiled_fn_1(x)\n" in folded.source
    assert "loss_" not in folded.source
    source = source.replace("    made = Box()", "    made = Box(loss)")
    kept = fold(source, {"__compiled_fn_1": ["loss"]}, frozenset({"x", "made", "loss"}))
    assert "    (loss_,) = __compiled_fn_1(x)\n" in kept.source, "the program has a loss of its own"


def test_a_value_has_the_programs_name_from_the_start() -> None:
    known = frozenset({"self", "x", "logits", "other"})
    folded = fold(
        text(
            """
            def f(self, x):
                graph_out = __compiled_fn_1(x)
                made = Box()
                logits_ = graph_out[0]
                made.logits = logits_
                logits = logits_
                other = made
                self_ = self
                self = self_
                del logits_
                return self.loss(logits, other)
            """
        ),
        {"__compiled_fn_1": ["logits_"]},
        known,
    )
    assert folded.source == text(
        """
        def f(self, x):
            (logits,) = __compiled_fn_1(x)
            other = Box()
            other.logits = logits
            return self.loss(logits, other)
        """
    )


def test_a_name_that_means_something_before_is_not_given_earlier() -> None:
    source = text(
        """
        def f(x):
            tmp_1 = Box()
            g(other)
            other = tmp_1
            tmp_2 = Box()
            if x:
                inner = tmp_2
            tmp_3 = Box()
            again = tmp_3
            again = x
            while x:
                try:
                    tmp_4 = f(x)
                    g(tmp_4)
                    late = tmp_4
                except Exception:
                    pass
            return other, inner, again, late
        """
    )
    folded = fold(source, known_names=frozenset({"x", "other", "inner", "again", "late"}))
    for line in ("tmp_1 = Box()", "other = tmp_1", "tmp_2 = Box()", "inner = tmp_2", "late = tmp_4"):
        assert line in folded.source


def test_frame_lists_of_a_function_in_the_text() -> None:
    folded = fold(
        text(
            """
            def f(x):
                def __comprehension_f_at_3_1(__nested_resume_fns, __nested_frame_values, x, rows):
                    if False:
                        k = None
                    return {k: x for k in rows}

                def resumed(__nested_resume_fns, __nested_frame_values, x):
                    return __nested_frame_values

                found = __comprehension_f_at_3_1([], [], x, rows)
                del __comprehension_f_at_3_1
                return resumed([], [], found)
            """
        ),
        known_names=frozenset({"x"}),
    )
    assert folded.source == text(
        """
        def f(x):
            def __comprehension_f_at_3_1(x, rows):
                return {k: x for k in rows}

            def resumed(__nested_resume_fns, __nested_frame_values, x):
                return __nested_frame_values

            return resumed([], [], __comprehension_f_at_3_1(x, rows))
        """
    )


def test_declarations_that_change_what_a_name_means_stay() -> None:
    source = text(
        """
        def f(x):
            if False:
                y = None
            if False:
                yield
            return y
        """
    )
    assert fold(source).source == source


def test_calls_of_nothing() -> None:
    source = text(
        """
        def f(x):
            lambda_()
            lambda__1(x)
            return lambda_()
        """
    )
    expected = text(
        """
        def f(x):
            lambda__1(x)
            return lambda_()
        """
    )
    assert fold(source, idle=frozenset({"lambda_", "lambda__1"})).source == expected
    assert fold(source).source == source


def test_which_constants_do_nothing() -> None:
    from depyf.explain.report.page.sections import _does_nothing

    assert _does_nothing(lambda: None)
    assert not any(map(_does_nothing, [lambda: 1, lambda *args: None, lambda: print(), print, None]))


LAYERS = "".join(
    """\
    layer_{0} = modules['{0}']._modules
    query_{0} = layer_{0}['query']._parameters
    weight_{0}, bias_{0} = query_{0}['weight'], query_{0}['bias']
    bare_{0} = layer_{0}['embedding']._parameters['weight']
""".format(number)
    for number in range(30)
)


def test_every_fetched_parameter_is_counted() -> None:
    """Those that are read in one step from a dict of modules too, and the first where a line has an argument too."""
    body = "def f(self, kwargs):\n    ids, modules = kwargs['ids'], self._modules\n" + LAYERS
    shown = without_fetches(body + "    return g(ids, bare_29)\n")
    assert shown == text(
        """
        def f(self, kwargs):
            ids = kwargs['ids']
            # 90 parameters and buffers are fetched from the module: weight_0, bias_0, bare_0, weight_1, ... bare_29
            return g(ids, bare_29)
        """
    )


def test_a_module_that_is_read_later_is_named() -> None:
    body = "def f(self):\n    modules = self._modules\n" + LAYERS
    shown = without_fetches(body + "    del layer_3\n    return g(layer_7, bare_29)\n")
    words = " ".join(line.strip("# ") for line in shown.splitlines()[1:3])
    assert words.endswith("fetched from the module: weight_0, bias_0, bare_0, weight_1, ... bare_29; and layer_7")
    assert shown.splitlines()[3] == "    del layer_3"


# ---- guards


def _rows(*guards: Guard) -> list[str]:
    return ["{}  {}".format(row.count, " ".join(" ".join(row.lines()).split())) for row in guards_by_argument(guards)]


def _guard(kind: str, code: str) -> Guard:
    return describe(kind, code, None, {})


def test_functions_whose_code_is_the_same_are_one_row() -> None:
    codes = ["___check_obj_id(G['{}'].__code__, 139), type=<class 'code'>".format(name) for name in "fgh"]
    found = [_guard("ID_MATCH", code) for code in codes]
    found.insert(1, _guard("EQUALS_MATCH", "L['n'] == 3"))
    assert _rows(*found) == ["1  n == 3", "3  f, g and h are still functions with the same code"]


def test_what_is_read_past_getattribute_is_of_its_object() -> None:
    """It ran nowhere, and was in the row of `self`, for `object` was not known to be at hand."""
    of = "object.__getattribute__(L['self'].config, '{}')"
    found = [
        _guard("TYPE_MATCH", "___check_type_id(L['self'].config, 139), type=<class 'm.Config'>"),
        _guard("TRUE_MATCH", of.format("use_cache") + " == True"),
        _guard("TYPE_MATCH", "___check_type_id({}, 139), type=<class 'dict'>".format(of.format("names"))),
        _guard("DICT_CONTAINS", "not ___dict_contains('dim', {})".format(of.format("names"))),
    ]
    assert _rows(*found) == ["4  self.config Config; .use_cache == True; .names has no key 'dim'"]
    assert all(guard.runnable for guard in found)

    class Config:
        use_cache, names = True, {"n": 1}

    module = types.SimpleNamespace(config=Config())
    assert all(eval(guard.run, {"L": {"self": module}}) for guard in found)
    module.config.names = {"dim": 1}
    assert [bool(eval(guard.run, {"L": {"self": module}})) for guard in found] == [True, True, True, False]


def test_different_tensors_are_named_once() -> None:
    found = _guard("NO_TENSOR_ALIASING", "check_no_aliasing(L['x'], L['self']._buffers['ids'], L['y'])")
    assert _rows(found) == ["1  x, self.ids and y are different tensors"]


def _of_modules(names: str, *checks: str) -> list[Guard]:
    is_of = "{} is exactly of type torch.nn.Linear"
    return [Guard("", "TYPE_MATCH", f"self.{name}", is_of.format(f"self.{name}")) for name in names] + [
        Guard("", "EQUALS_MATCH", f"self.{name}{check.split(' ')[0].rstrip(':')}", f"self.{name}{check}")
        for name in names
        for check in checks
    ]


def test_modules_of_which_the_same_is_checked_are_one_row() -> None:
    found = [*_of_modules("ab", ".p == 0.1"), *_of_modules("c", ".p == 0.2"), *_of_modules("de")]
    assert _rows(*found) == [
        "4  self.a and self.b Linear; .p == 0.1",
        "2  self.c Linear; .p == 0.2",
        "2  self.d (Linear) and self.e (Linear) are of these classes",
    ]


@pytest.mark.parametrize("layers, expected", [
    ("abc", ["6  self.a, self.b and self.c Linear; .w: CPU float32 Parameter of shape [4], stride [1], needs grad"]),
    ("abcdefghi", ["9  their parameters and buffers 9 times CPU float32 Parameter, needs grad; each with its shape and "
                   "stride", "9  self.a (Linear), {} and self.i (Linear) are of these classes".format(
                       ", ".join(f"self.{name} (Linear)" for name in "bcdefgh"))]),
])  # fmt: skip
def test_many_tensors_of_modules_are_one_row(layers: str, expected: list[str]) -> None:
    assert _rows(*_of_modules(layers, ".w: CPU float32 Parameter of shape [4], stride [1], needs grad")) == expected


def test_a_class_says_that_it_is_the_class() -> None:
    found = [*_of_modules("a"), Guard("", "ID_MATCH", "self.a.__class__", "self.a.__class__ is still the same object")]
    assert _rows(*found) == ["2  self.a Linear"]


def test_modules_have_their_own_names_where_these_mean_them() -> None:
    source = "def f(x):\n    return ___module_json_c0.loads(x) + __import_os_dot_path.join(x) + __import_torch.sin(x)\n"
    names = {"___module_json_c0": json, "__import_os_dot_path": os.path, "__import_torch": torch, "os": "another"}
    text, modules = with_module_names(source, names, {"torch"})
    assert text == source.replace("___module_json_c0", "json").replace("__import_os_dot_path", "posixpath")
    assert modules == {"json", "posixpath"}
    assert with_module_names(source, {**names, "posixpath": 1}, {"json", "torch"}) == (source, set())


def test_many_absent_keys_are_counted() -> None:
    found = [_guard("DICT_CONTAINS", "not ___dict_contains('k{}', L['kwargs'])".format(n)) for n in "abcdefghij"]
    assert _rows(*found) == [
        "10  kwargs has none of 10 keys: 'ka', 'kb', 'kc', 'kd', 'ke', 'kf', 'kg', 'kh' and 2 more"
    ]
    assert _rows(*found[:2]) == ["2  kwargs has none of the keys 'ka', 'kb'"]


def test_one_object_of_several_is_said_once() -> None:
    found = [_guard("OBJECT_ALIASING", "L['c'] is L['self'].{}".format(name)) for name in ("a", "b")]
    assert _rows(*found) == ["2  c the same object as self.a and self.b"]


def test_a_comparison_says_the_number_of_items() -> None:
    found = [_guard("EQUALS_MATCH", "L['shape'] == (3,)"), _guard("LENGTH_CHECK", "len(L['shape']) == 1"),
             _guard("LENGTH_CHECK", "len(L['xs']) == 1")]  # fmt: skip
    assert _rows(*found) == ["2  shape == (3,)", "1  xs has 1 item"]


def test_a_constant_that_is_equal_to_itself() -> None:
    assert _guard("EQUALS_MATCH", "G['torch'].float16 == torch.float16").words == "torch.float16 has not changed"


def test_a_module_of_which_dynamo_made_a_global() -> None:
    """Torch does so where a file asks for the type of a tensor and does not import torch."""
    torch = types.ModuleType("torch")
    torch.Tensor = type("Tensor", (), {})  # type: ignore[attr-defined]
    name = "_140163974245456_c0"
    code = "___check_obj_id(G['{}'].Tensor, {}), type=<class 'torch.Tensor'>".format(name, id(torch.Tensor))
    found = describe("ID_MATCH", code, None, {name: torch})
    assert (found.words, found.is_bookkeeping) == ("torch.Tensor is still the same object", True)
    other = describe("ID_MATCH", code, None, {name: types.ModuleType("shop")})
    assert (other.words, other.is_bookkeeping) == ("shop.Tensor is still the same object", False)


def test_guards_that_are_not_at_hand_are_not_said_to_be_none() -> None:
    entry = CacheEntry("0/0", transformed_name="__transformed_code_0_for_f")
    assert "# its guards are not at hand: taken to hold here\n" in guard_function(entry, Frame("f"), "")
    entry.guard_tree = "TREE_GUARD_MANAGER:"
    assert "# nothing of the user's is checked\n" in guard_function(entry, Frame("f"), "")


# ---- why it was compiled again, or not at all


@pytest.mark.parametrize(
    "text, words",
    [
        ("tensor 'd['x']' size mismatch at index 1. expected 6, actual 8", "d['x'].shape[1] == 6; it is 8 now"),
        ("tensor 'x' stride mismatch at index 0. expected 3, actual 1", "x.stride(0) == 3; it is 1 now"),
        ("tensor 'x' rank mismatch. expected 2, actual 3", "x.dim() == 2; it is 3 now"),
        ("type(L['x']).__name__ == 'Encoder'", "type(x) is Encoder"),
        ("not ___dict_contains('flip', L['kwargs'])", "kwargs has no key 'flip'; it has one now"),
        ("___dict_contains('flip', L['kwargs'])", "kwargs has key 'flip'; it has none now"),
    ],
)
def test_what_did_not_fit_is_in_the_users_terms(text: str, words: str) -> None:
    assert found_words(reason_from_text("0/0: " + text)) == words


def test_keys_that_came() -> None:
    call = RecompilingCall({"kwargs": {"flip": 1, "axis": 2}}, {}, {})
    one = reason_from_text("0/0: set(L['kwargs'].keys()) == set()", call)
    assert found_words(one) == "set(kwargs) == set(); it is {'axis', 'flip'} now"
    empty = RecompilingCall({"kwargs": {}}, {}, {})
    assert reason_from_text("0/0: set(L['kwargs'].keys()) == {'flip'}", empty).actual == "set()"


@pytest.mark.parametrize(
    "text, remedy",
    [
        ("not ___dict_contains('flip', L['kwargs'])", "have the same keys in kwargs every time"),
        ("KeyError on L['kwargs']['flip']", "have the same keys in kwargs every time"),
        ("L['mask'] is None", ""),
        ("len(L['kwargs']) == 2", "have as many items in kwargs every time"),
    ],
)
def test_remedies_fit_what_changed(text: str, remedy: str) -> None:
    assert remedy in reason_from_text("0/0: " + text).remedy


def test_what_is_the_same_for_several_compilations_is_said_once() -> None:
    reasons = [reason_from_text(text) for text in ("0/3: L['n'] == 3", "0/1: L['m'] == 3", "0/0: L['m'] == 3")]
    assert recompile_words(CacheEntry(recompiled=reasons)) == [
        "compiled again because 0/3 did not fit: n == 3",
        "compiled again because 0/1 and 0/0 did not fit: m == 3",
    ]


def test_global_state_is_said_by_what_changed() -> None:
    one = reason_from_text("0/0: GLOBAL_STATE changed: grad_mode ")
    one.subject, one.expected, one.actual = "grad mode", "on", "off"
    assert found_words(one) == "grad mode was on and is off now"


def test_breaks_are_in_the_function_as_it_is_written() -> None:
    for name in ("torch_dynamo_resume_in_forward_at_24", "resume_in_forward", "forward"):
        line = SourceLine("/a/m.py", 25, "if x.mean() > 0:", name)
        frame = Frame("f", entries=[CacheEntry("1/0", breaks=[GraphBreak("it depends", line)])])
        assert "  - m.py:25  `if x.mean() > 0:` in forward" in index_sections(Session([frame]))


def test_a_failure_that_hooks_told_is_no_other_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """Torch's record has the name of the code: that of a wrapper, where the function that is called is known."""
    code = compile("def wrapper(): pass", "/a/m.py", "exec").co_consts[0]
    record = types.SimpleNamespace(fail_reason="copy.deepcopy()", compile_id="4/0", co_name="wrapper",
                                   co_filename="/a/m.py", co_firstlineno=1)  # fmt: skip
    heard = Refusals()
    heard.failed(code, "4/0", ValueError("copy.deepcopy()"), called="Decoder.forward")
    others = types.SimpleNamespace(**{**vars(record), "compile_id": "5/0"})
    monkeypatch.setattr("depyf.explain.frames.refusals.compilation_metrics", lambda: [record, others])
    heard.look()
    assert [(one.compile_id, one.function) for one in heard.found] == [("4/0", "Decoder.forward"), ("5/0", "wrapper")]


def _broken_twice() -> Frame:
    line = SourceLine("/a/m.py", 7, "log(x)")
    entries = [
        CacheEntry("0/{}".format(n), transformed_name="__transformed_code_{}_for_f".format(n),
                   breaks=[GraphBreak("no logging", line, "GB1", "It can't.", hints=["Do not log."], compile_id="0/0")])
        for n in range(2)
    ]  # fmt: skip
    return Frame("f", "f", "/a/m.py", 3, entries=entries)


def test_a_hint_is_given_once() -> None:
    lines = [line.strip(" │") for line in tree_lines(_broken_twice()) if "break" in line]
    assert lines == [
        "break at m.py:7  `log(x)`: no logging  (GB1; hint: Do not log.)",
        "break at m.py:7  `log(x)`: no logging  (GB1)",
    ]
    page = page_of(_broken_twice(), Session())
    assert page.count("# Hint: Do not log.") == 1 and page.count("# Graph break at m.py:7  `log(x)`: no logging") == 2
    assert "# Graph break at m.py:7  `log(x)`: no logging (more above)\n" in page


def test_a_place_without_a_function() -> None:
    why = GraphBreak("no logging", SourceLine("/a/m.py", 7, "log(x)"))
    text = "\n".join(index_sections(Session(refusals=[Refusal(function="f", why=why, error="Unsupported")])))
    assert "  - m.py:7  `log(x)` in f\n" in text + "\n"


def test_what_one_function_refused_is_in_its_tree() -> None:
    frame = _broken_twice()
    del frame.entries[1]
    frame.refusals = [Refusal(function="f", why=GraphBreak("recompile limit"))]
    assert tree_lines(frame)[-1] == "   not compiled: recompile limit"


def test_the_file_of_a_graph_is_named_once() -> None:
    source = "def __compiled_fn_1(x):\n" + "    x = x + 1\n" * 100
    captured = "__compiled_fn_1.Captured_Graph.0.py"
    graph = Graph("__compiled_fn_1", source=source, stage_files={"Captured_Graph": captured})
    frame = Frame("f", "f", "/a/m.py", 3, entries=[CacheEntry("0/0", graphs=[graph])])
    assert page_of(frame, Session(), in_dump=True).count(captured) == 2  # once as code
    graph.stage_files["Forward_graph"] = "__compiled_fn_1.Forward_graph.0.py"
    assert "# Its stages: __compiled_fn_1.Captured_Graph.0.py, " in page_of(frame, Session(), in_dump=True)


# ---- resume functions of 3.14 and later


def test_a_statement_before_a_call_is_no_branch() -> None:
    source = text(
        """
        def f(x):
            if probe is not None:
                leave(probe)
            return __resume_at_104_3(x)
        """
    )
    assert branches(source) == {}
    assert branches(source.replace("leave(probe)", "return __resume_at_90_2(x)")) == {
        "__resume_at_90_2": "true", "__resume_at_104_3": "false",
    }  # fmt: skip


def test_the_line_of_a_branch_is_behind_its_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    code = compile("if x:\n    y\nz\n", "m.py", "exec")
    starts = {line: start for start, line in dis.findlinestarts(code)}
    before = starts[2] - 2
    assert resume_points._line_at(code, before) == 1
    mark = next(one.opname for one in torch_behavior.traced_instructions(code) if one.offset == before)
    monkeypatch.setattr(resume_points, "_NOT_TAKEN", mark)
    assert resume_points._line_at(code, before) == 2


def test_a_probe_with_two_names() -> None:
    folded = fold(
        text(
            """
            def f(x):
                enabled = __import_torch_dot_autograd_dot_profiler._is_profiler_enabled
                module = __import_torch_dot__dynamo_dot_utils
                if enabled:
                    probe = module.record_pregraph_bytecode_enter()
                    probe_1 = probe
                else:
                    probe_1 = None
                y = x
                if probe_1 is not None:
                    module.record_pregraph_bytecode_exit(probe_1)
                return __resume_at_104_3(y)
            """
        )
    )
    assert folded.source == "def f(x):\n    y = x\n    return __resume_at_104_3(y)\n"


# ---- the report over the source


def test_what_follows_a_break_is_said_once() -> None:
    found = [Remark("/no/m.py", 7, "recompile", words, "f", follows=follows)
             for words, follows in (("a", False), ("b", True), ("b", True))]  # fmt: skip
    lines = source_lines({}, found)
    assert [line.split("recompile ")[1] for line in lines if "recompile" in line] == [
        "a", "the rest of the function, for the same reasons",
    ]  # fmt: skip
    counts = dict.fromkeys(("functions", "breaks", "recompilations", "uncompiled"), 1)
    page = report_page(Report([*found, Remark("/no/m.py", 7, "recompile", "c", "f")], counts))
    assert page.count("the rest of the function, for the same reasons</span>") == 1 and ">2 recompiles<" in page


def test_the_line_of_a_remark_is_not_said_again() -> None:
    line = SourceLine(__file__, 31, "options.get('flip')")
    reason = reason_from_text("0/0: not ___dict_contains('flip', L['options'])")
    reason.user_line = line
    (one,) = remarks_of(Session([Frame("f", "f", __file__, 3, entries=[CacheEntry("0/1", recompiled=[reason])])]))
    assert (one.line, one.words) == (31, "options has no key 'flip'; it has one now")
