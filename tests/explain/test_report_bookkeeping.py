"""Dynamo's bookkeeping goes from the page; what only looks like it stays."""

from __future__ import annotations

import ast
import textwrap

from depyf.explain.for_reading.bookkeeping import fold, hides_frame_parameters, passes_frame_lists

PROBE_2_13 = """
def toy(a, b):
    _0 = __compiled_fn_1_0a1b2c3d_1111_2222_3333_0123456789ab
    tmp_1 = __import_torch_dot__dynamo_dot_utils.record_pregraph_bytecode_enter
    tmp_2 = tmp_1()
    tmp_3 = __import_torch_dot__dynamo_dot_utils.record_pregraph_bytecode_exit
    tmp_3(tmp_2)
    graph_out_0 = _0(a, b)
    del tmp_1
    del tmp_3
    _1 = graph_out_0[0]
    _2 = graph_out_0[1]
    del graph_out_0
    if _1:
        return __resume_at_102_2([], [], b, _2)
    return __resume_at_112_3([], [], b, _2)
"""

PROBE_2_15 = """
def toy(a, b):
    _0 = __compiled_fn_1
    tmp_3 = __import_torch_dot_autograd_dot_profiler._is_profiler_enabled
    tmp_2 = __import_torch_dot__dynamo_dot_utils
    tmp_1 = None
    if tmp_3:
        tmp_1 = tmp_2.record_pregraph_bytecode_enter()
    if not tmp_1 is None:
        tmp_2.record_pregraph_bytecode_exit(tmp_1)
    graph_out_0 = _0(a, b)
    return graph_out_0[0]
"""


def text(source: str) -> str:
    return textwrap.dedent(source).strip("\n") + "\n"


def test_toy_reads_like_the_program() -> None:
    folded = fold(text(PROBE_2_13), {"__compiled_fn_1": ["lt", "x"]})
    assert folded.source == text(
        """
        def toy(a, b):
            lt, x = __compiled_fn_1(a, b)
            if lt:
                return __resume_at_102_2(b, x)
            return __resume_at_112_3(b, x)
        """
    )
    assert "2 statements of the profiler probe" in folded.describe()
    assert "4 copies of a name" in folded.describe()
    assert "4 frame lists" in folded.describe()
    assert folded.count == sum(folded.removed.values())


def test_probe_of_two_if_statements() -> None:
    folded = fold(text(PROBE_2_15))
    assert folded.source == "def toy(a, b):\n    graph_out_0 = __compiled_fn_1(a, b)\n    return graph_out_0[0]\n"


def test_probe_of_a_conditional_expression() -> None:
    source = """
    def toy(a, b):
        compiled_fn = __compiled_fn_1
        enabled = __import_torch_dot_autograd_dot_profiler._is_profiler_enabled
        module = __import_torch_dot__dynamo_dot_utils
        probe = module.record_pregraph_bytecode_enter() if enabled else None
        if probe is not None:
            module.record_pregraph_bytecode_exit(probe)
        graph_out = compiled_fn(a, b)
        lt, x = graph_out[0], graph_out[1]
        del graph_out
        return g(lt, x)
    """
    known = frozenset({"a", "b"})
    assert fold(text(source), {"__compiled_fn_1": ["lt", "x"]}, known).source == text(
        """
        def toy(a, b):
            lt, x = __compiled_fn_1(a, b)
            return g(lt, x)
        """
    )


def test_one_result() -> None:
    folded = fold(text(PROBE_2_15), {"__compiled_fn_1": ["mul"]})
    assert "(mul,) = __compiled_fn_1(a, b)\n    return mul\n" in folded.source


def test_sizes_which_dynamo_reads_for_a_graph() -> None:
    source = """
    def dyn(x, n):
        _0 = __compiled_fn_3
        tmp_1 = __import_torch_dot__dynamo_dot_utils.record_pregraph_bytecode_enter
        tmp_2 = tmp_1()
        tmp_3 = __import_torch_dot__dynamo_dot_utils.call_size
        tmp_4 = x
        _1 = tmp_3(tmp_4, 0)
        tmp_5 = __import_torch_dot__dynamo_dot_utils.record_pregraph_bytecode_exit
        tmp_5(tmp_2)
        graph_out_0 = _0(_1, tmp_4, n)
        del tmp_4, tmp_1, tmp_3, tmp_5
        return graph_out_0[0]
    """
    assert fold(text(source), {"__compiled_fn_3": ["mul"]}).source == text(
        """
        def dyn(x, n):
            (mul,) = __compiled_fn_3(x.size(0), x, n)
            return mul
        """
    )


BREAK = """
def f(x):
    compiled_fn = __compiled_fn_30
    graph_out_0 = compiled_fn(x)
    item = __builtins_dict___29['print']
    set_grad = __import_torch.set_grad_enabled
    out_0 = graph_out_0[0]
    w_1 = W
    del graph_out_0
    result = item('hi')
    return __resume_at_40_31([], [], result, out_0, w_1, set_grad)
"""


def test_names_that_only_keep_the_order_of_events() -> None:
    folded = fold(text(BREAK), {"__compiled_fn_30": ["y"]}, frozenset({"x", "graph_out_0"}))
    assert folded.source == text(
        """
        def f(x):
            (y,) = __compiled_fn_30(x)
            set_grad = __import_torch.set_grad_enabled
            return __resume_at_40_31(print('hi'), y, W, set_grad)
        """
    )


def test_names_of_the_program_stay() -> None:
    folded = fold(text(BREAK), {"__compiled_fn_30": ["y"]}, frozenset({"x", "graph_out_0", "item", "w_1", "out_0"}))
    assert "item = print" in folded.source
    assert "w_1 = W" in folded.source
    assert "(out_0,)" not in folded.source  # made up by its look, whoever made it up


def test_a_read_never_passes_a_call() -> None:
    source = "def f(x):\n    _1 = x.size\n    y = g(x)\n    return h(_1, y)\n"
    assert fold(source).source == source


def test_a_call_passes_nothing() -> None:
    source = "def f(x):\n    _1 = g(x)\n    y = x.a\n    return h(_1, y)\n"
    assert fold(source).source == source


def test_a_read_never_passes_a_new_value_of_what_it_reads() -> None:
    source = "def f(x):\n    _1 = x.a\n    x = W\n    return h(_1, x)\n"
    assert fold(source).source == source


def test_nothing_moves_into_a_loop_or_a_branch() -> None:
    source = "def f(x):\n    _1 = x.a\n    while x:\n        g(_1)\n    return x\n"
    assert fold(source).source == source
    source = "def f(x):\n    _1 = x.a\n    if x:\n        return _1\n    return x\n"
    assert fold(source).source == source


def test_a_builtin_with_a_namesake_stays() -> None:
    source = "def f(print):\n    return __builtins_dict___29['print'](print)\n"
    assert fold(source).source == source


def test_broken_lines_that_fit_now() -> None:
    source = "def f(\n    __nested_resume_fns, __nested_frame_values, x\n):\n    return x\n"
    assert fold(source).source == "def f(x):\n    return x\n"


def test_globals_are_no_temporaries() -> None:
    """Their values are seen elsewhere, and no bytecode has their names among its variables."""
    source = "def f(x):\n    global COUNT\n    COUNT = 1\n    SEEN.append(COUNT)\n    del COUNT\n    return x\n"
    assert fold(source, None, frozenset({"x"})).source == source


def test_copies_of_names_that_change_stay() -> None:
    source = "def f(x):\n    tmp_1 = x\n    x = x + 1\n    return tmp_1 + x\n"
    assert fold(source).source == source
    source = "def f(x):\n    tmp_1 = x\n    del x\n    return tmp_1\n"
    assert fold(source).source == source


def test_probe_whose_value_is_used_stays() -> None:
    source = text(PROBE_2_13).replace("if _1:", "if tmp_2:")
    assert "record_pregraph_bytecode_enter" in fold(source).source


def test_none_assignments_of_the_user_stay() -> None:
    source = "def f(a):\n    x = None\n    y = a.shape\n    return a\n"
    assert fold(source).source == source
    assert fold(source).count == 0


def test_frame_lists_with_content_stay() -> None:
    source = "def f(a):\n    return __resume_at_1_2([g], [[a]], a)\n"
    assert fold(source).source == source


def test_frame_lists_of_a_closure() -> None:
    source = "def f(a):\n    return __resume_at_1_2((c,))([], [], a)\n"
    assert fold(source).source == "def f(a):\n    return __resume_at_1_2((c,))(a)\n"


CELLS = """
def f(x, names):
    x = x
    result = __comprehension_f_at_3_2
    pair = ((lambda: x).__closure__[0],)
    result_1 = result(pair)
    found = {}
    result_2 = result_1([], [], found, names)
    result_3 = __resume_at_134_3(pair)
    del pair
    return result_3([], [], result_2)
"""


def test_what_is_made_of_cells_with_a_name() -> None:
    """So it is from torch 2.12 on, where Dynamo runs a comprehension by itself before a resume function."""
    folded = fold(text(CELLS), None, frozenset(("x", "names", "found")))
    assert folded.source == text(
        """
        def f(x, names):
            found = {}
            result_2 = closed_over(__comprehension_f_at_3_2, x=x)(found, names)
            return closed_over(__resume_at_134_3, x=x)(result_2)
        """
    )
    assert not passes_frame_lists(folded.source, "__comprehension_f_at_3_2")
    passing = fold(text(CELLS).replace("result_3([], []", "result_3([f], [[x]]"), None, frozenset(("x", "names")))
    assert passes_frame_lists(passing.source, "__resume_at_134_3")


def test_a_tuple_of_cells_that_is_used_otherwise_stays() -> None:
    source = text(CELLS).replace("del pair", "keep(pair)")
    assert "pair = ((lambda: x).__closure__[0],)" in fold(source).source


def test_call_with_nothing_but_frame_lists() -> None:
    assert fold("def f(a):\n    return __resume_at_1_2([], [])\n").source.endswith("return __resume_at_1_2()\n")


def test_unread_frame_parameters_are_hidden() -> None:
    source = "def r(__nested_resume_fns, __nested_frame_values, b, x):\n    return b\n"
    assert hides_frame_parameters(source)
    assert fold(source).source.startswith("def r(b, x):")
    read = source.replace("return b", "return __nested_frame_values")
    assert not hides_frame_parameters(read)
    assert fold(read).source == read


def test_user_names_for_results_are_kept() -> None:
    source = "def f(a, b):\n    g = __compiled_fn_1(a, b)\n    b = g[1]\n    y = g[0]\n    return b, y\n"
    folded = fold(source, {"__compiled_fn_1": ["one", "two"]})
    assert folded.source == "def f(a, b):\n    y, b = __compiled_fn_1(a, b)\n    return b, y\n"


def test_result_names_never_hide_a_parameter() -> None:
    source = "def f(lt, b):\n    g = __compiled_fn_1(b)\n    return lt + g[0]\n"
    folded = fold(source, {"__compiled_fn_1": ["lt"]})
    assert folded.source == "def f(lt, b):\n    (lt_,) = __compiled_fn_1(b)\n    return lt + lt_\n"


def test_results_used_whole_are_not_unpacked() -> None:
    source = "def f(a):\n    g = __compiled_fn_1(a)\n    h(g)\n    return g[0]\n"
    assert fold(source, {"__compiled_fn_1": ["x"]}).source == source


def test_comments_and_text_which_is_no_python_stay() -> None:
    assert fold("def f(:\n").source == "def f(:\n"
    commented = "def f(a):\n    # why\n    _0 = __compiled_fn_1\n    return _0(a)  # é é\n"
    assert fold(commented).source == "def f(a):\n    # why\n    return __compiled_fn_1(a)  # é é\n"


def test_everything_folded_is_python() -> None:
    for source in (PROBE_2_13, PROBE_2_15):
        ast.parse(fold(text(source)).source)
