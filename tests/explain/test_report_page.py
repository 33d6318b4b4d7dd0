"""The page about a function, made from a model built by hand: it needs neither torch.compile nor the decompiler."""

from __future__ import annotations

import ast
import json
import re
import runpy
from pathlib import Path
from typing import Any, Dict

import pytest

from depyf.explain.model import (
    Artifact,
    CacheEntry,
    Decompiled,
    Failure,
    Frame,
    Graph,
    GraphBreak,
    Guard,
    Node,
    ResumeFunction,
    Session,
    SourceLine,
    to_json,
)
from depyf.explain.report.page.guards_by_argument import ArgumentRow
from depyf.explain.report.page.page import page_of
from depyf.explain.report.page.sections import _renamed, code_constant, comprehension_function
from depyf.explain.report.why import recompile_words
from depyf.explain.report.write import write_report

VERDICT = "equivalent to the bytecode"
RESUME = "torch_dynamo_resume_in_toy_example_at_5"

TOY = """
def toy_example(a, b):
    _0 = __compiled_fn_1
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

SOURCE = """@torch.compile
def toy_example(a, b):
    x = a / (abs(a) + 1)
    if b < 0:
        b = b * -1
    return x * b
"""

GRAPH = """def __compiled_fn_1(L_a_, L_b_):
    x = L_a_ / (abs(L_a_) + 1)
    lt = L_b_ < 0
    return (lt, x)
"""


def original(a: Any, b: Any) -> Any:
    x = a / (abs(a) + 1)
    if b < 0:
        b = b * -1
    return x * b


def code_of(source: str, name: str) -> Any:
    namespace: Dict[str, Any] = {}
    exec(source, namespace)
    return namespace[name].__code__


def resume_frame(number: int, graph: str, body: str) -> Frame:
    head = "def {}(__nested_resume_fns, __nested_frame_values, b, x):\n".format(RESUME)
    source = head + "    return {}(b, x)[0]\n".format(graph)
    entry = CacheEntry(
        compile_id="{}/0".format(number),
        index=number - 1,
        transformed=Decompiled(source, "equivalent", VERDICT),
        transformed_name="__transformed_code_{}_for_{}".format(number - 1, RESUME),
        graphs=[Graph(graph, source="def {}(L_b_, L_x_):\n{}".format(graph, body), nodes=[mul()])],
        code=code_of(source, RESUME),
    )
    return Frame(RESUME, filename="/tmp/x/toy.py", first_line=5, entries=[entry], is_resume=True, code=entry.code)


def mul() -> Node:
    return Node("call_function", "mul", "operator.mul")


def toy() -> Session:
    """The README's program with numbers for tensors, so that the page can run without torch.compile."""
    line = SourceLine("/tmp/x/toy.py", 5, "if b.sum() < 0:", "toy_example")
    graph = Graph(
        "__compiled_fn_1",
        source=GRAPH,
        results=["lt", "x"],
        nodes=[Node("call_function", "x", "operator.truediv", line), Node("call_function", "lt", "operator.lt", line)],
    )
    entry = CacheEntry(
        compile_id="0/0",
        guards=[
            Guard("L['a'] > 0", "LAMBDA_GUARD", "a", "0 < a", line, runnable=True, run="L['a'] > 0"),
            Guard("id(L['c'])", "ID_MATCH", "c", "c is still the same object", line),
            Guard("___check_global_state()", "GLOBAL_STATE", "", "global state", None, is_bookkeeping=True),
        ],
        transformed=Decompiled(TOY, "equivalent", VERDICT, folded=40),
        transformed_name="__transformed_code_0_for_toy_example",
        graphs=[graph],
        resume_functions=[
            ResumeFunction(
                "__resume_at_102_2", frame=resume_frame(2, "__compiled_fn_7", "    return (L_x_ * (L_b_ * -1),)\n")
            ),
            ResumeFunction(
                "__resume_at_112_3", frame=resume_frame(1, "__compiled_fn_5", "    return (L_x_ * L_b_,)\n")
            ),
        ],
        breaks=[GraphBreak("the branch depends on a tensor's value", line, "GB0170", hints=["Use `torch.cond`."])],
        code=code_of(TOY, "toy_example"),
    )
    frame = Frame("toy_example", "toy_example", "/tmp/x/toy.py", 3, SOURCE, [entry], code=entry.code)
    return Session(list(frame.walk()), torch_version="2.13.0", python_version="3.11.7")


def reason_words(reason):
    return recompile_words(CacheEntry(recompile_reasons=[reason]))[0]


def test_the_head_is_a_tree() -> None:
    head = page_of(toy().frames[0], toy()).split("\n\n")[0]
    assert re.sub(r"line \d+", "line N", head).splitlines()[:6] == [
        "# toy_example  (toy.py:3)                  3 graphs, 1 graph break, 3 compilations",
        "#",
        "#   toy_example ── graph 1: truediv, lt",
        "#      │  break at toy.py:5  `if b.sum() < 0:`: the branch depends on a tensor's value  "
        "(GB0170; hint: Use `torch.cond`.)",
        "#      ├─ true   resume at line N ── graph 7: mul",
        "#      └─ false  resume at line N ── graph 5: mul",
    ]


def test_transformed_code_reads_like_the_program() -> None:
    page = page_of(toy().frames[0], toy())
    assert (
        "def __transformed_code_0_for_toy_example(a, b):\n"
        "    lt, x = __compiled_fn_1(a, b)\n"
        "    if lt:\n"
        "        return __resume_at_102_2(b, x)\n"
        "    return __resume_at_112_3(b, x)\n"
    ) in page
    assert "2 statements of the profiler probe" in page
    assert "40 operations on Dynamo's internal lists" in page
    assert "3 of 3 proven" in page
    assert "@torch.compile" in page
    assert "/tmp/" not in page


def test_the_page_runs() -> None:
    namespace: Dict[str, Any] = {}
    text = page_of(toy().frames[0], toy()).replace("import torch\n", "")
    exec(compile(text, "page", "exec", dont_inherit=True), namespace)
    for a, b in [(2.0, 3.0), (2.0, -3.0), (-2.0, 3.0)]:
        assert namespace["toy_example"](a, b) == original(a, b)
    assert namespace["__guard_0_for_toy_example"]({"a": 1}, {}) is True
    assert namespace["__guard_0_for_toy_example"]({"a": -1}, {}) is False


def test_guards_of_many_layers_are_said_once() -> None:
    session = toy()
    entry = session.frames[0].entries[0]
    line = SourceLine("/tmp/x/toy.py", 5, "x = layer(x)", "toy_example")
    entry.guards = [
        Guard("", "TYPE_MATCH", "self.l[{}].f".format(n), "self.l[{}].f is exactly of type Linear".format(n), line)
        for n in range(12)
    ]
    entry.guards += [Guard("", "TENSOR_MATCH", "a", "a: float32 of shape [{}]".format(n), line) for n in range(4)]
    page = page_of(session.frames[0], session)
    assert "#   self.l[n].f is exactly of type Linear  (n = 0 to 11)" in page
    assert all("#   {:<66}  toy.py:5\n".format("a: float32 of shape [{}]".format(n)) in page for n in range(4))


def test_why_it_was_compiled_again() -> None:
    assert reason_words("1/0: L['n'] == 3   # return y[:n]  # rp/toy.py:35 in dyn (fake.py:7 in size)") == (
        "compiled again because 1/0 did not fit: n == 3  (toy.py:35)"
    )
    assert reason_words("0/0: tensor 'x' size mismatch at index 0. expected 2, actual 5") == (
        "compiled again because 0/0 did not fit: x.shape[0] == 2; it is 5 now"
    )
    assert reason_words("cache limit") == "compiled again because cache limit"


def test_what_is_not_run_is_said() -> None:
    page = page_of(toy().frames[0], toy())
    assert "# 1 of these checks needs an object of that process: it is not run here" in page
    assert "and 1 check of Dynamo's own (global state)" in page


def test_unproven_text_is_marked_and_refused_text_never_runs() -> None:
    session = toy()
    entry = session.frames[0].entries[0]
    entry.transformed.level, entry.transformed.verdict = "unproven", "no proof found in time"
    page = page_of(session.frames[0], session)
    assert "NOT PROVEN to do what Dynamo's bytecode does (no proof found in time)" in page
    assert "2 of 3 proven" in page
    entry.transformed = Decompiled(reasons=["no pattern for SWAP"], listing="  2  0 RESUME 0")
    page = page_of(session.frames[0], session)
    assert "# __transformed_code_0_for_toy_example has no proven source: no pattern for SWAP" in page
    assert "#   2  0 RESUME 0" in page
    namespace: Dict[str, Any] = {}
    exec(compile(page.replace("import torch\n", ""), "page", "exec", dont_inherit=True), namespace)
    with pytest.raises(NotImplementedError, match="no pattern for SWAP"):
        namespace["toy_example"](2.0, 3.0)


def test_frame_lists_stay_when_a_caller_fills_them() -> None:
    session = toy()
    one = session.frames[0].entries[0].transformed
    one.source = one.source.replace("__resume_at_102_2([], [], b, _2)", "__resume_at_102_2([g], [[b]], b, _2)")
    page = page_of(session.frames[0], session)
    assert "__resume_at_102_2([g], [[b]], b, x)" in page
    assert "def __resume_at_102_2(__nested_resume_fns, __nested_frame_values, b, x):" in page
    assert "def __resume_at_112_3(b, x):" in page


def test_text_which_is_no_python_becomes_a_comment() -> None:
    session = toy()
    session.frames[0].entries[0].graphs[0].source = "def __compiled_fn_1(:\n    broken\n"
    session.frames[0].source = "    @wrong indentation(\n"
    page = page_of(session.frames[0], session)
    ast.parse(page)
    assert "# def __compiled_fn_1(:" in page


def test_free_variables_are_globals_of_the_page() -> None:
    session = toy()
    entry = session.frames[0].entries[0]
    entry.transformed.source = "def toy_example(a, b):\n    nonlocal k\n    k = a\n    return k + SCALE\n"
    page = page_of(session.frames[0], session)
    ast.parse(page)
    assert "global k" in page
    assert "It reads SCALE, k of your program" in page
    assert "def use(names):" in page


def test_files_and_index(tmp_path: Path) -> None:
    session = toy()
    session.artifacts = [
        Artifact("__compiled_fn_1.Captured_Graph.0.py", "graph", "what Dynamo captured"),
        Artifact("__compiled_fn_1.kernel_0.py", "kernel", "", "missing", "No space left on device"),
    ]
    session.failures = [Failure("hook for kernels", "torch has no such function", "kernels")]
    written = write_report(session, str(tmp_path))
    assert sorted(Path(path).name for path in written) == sorted(path.name for path in tmp_path.iterdir())
    assert {path.name for path in tmp_path.iterdir()} == {
        "README.md",
        *(f"__compiled_fn_{number}.repro.py" for number in (1, 5, 7)),
        "full_code_for_toy_example_0.py",
        "guards_0_for_toy_example.txt",
        "guards_0_for_{}.txt".format(RESUME),
        "guards_1_for_{}.txt".format(RESUME),
        "remarks.json",
        "sources.json",
    }
    index = (tmp_path / "README.md").read_text()
    assert "Start with `full_code_for_toy_example_0.py`" in index
    assert "[__compiled_fn_1.Captured_Graph.0.py](__compiled_fn_1.Captured_Graph.0.py): what Dynamo captured" in index
    assert "- `__compiled_fn_1.kernel_0.py`: No space left on device" in index
    assert "hook for kernels: torch has no such function (costs kernels)" in index
    assert "| 0/0 | __transformed_code_0_for_toy_example | equivalent to the bytecode | Dynamo's |" in index
    guards = (tmp_path / "guards_0_for_toy_example.txt").read_text()
    assert "Dynamo's own: 1 (global state)" in guards
    compile((tmp_path / "full_code_for_toy_example_0.py").read_text(), "page", "exec", dont_inherit=True)


def test_two_functions_of_one_name_get_two_pages(tmp_path: Path) -> None:
    session = toy()
    session.frames.append(toy().frames[0])
    write_report(session, str(tmp_path))
    assert (tmp_path / "full_code_for_toy_example_1.py").exists()


def test_a_page_which_fails_costs_that_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object) -> str:
        raise RuntimeError("planted")

    monkeypatch.setattr("depyf.explain.report.write.page_of", fail)
    session = toy()
    write_report(session, str(tmp_path))
    assert not (tmp_path / "full_code_for_toy_example_0.py").exists()
    assert "`full_code_for_toy_example_0.py`: RuntimeError: planted" in (tmp_path / "README.md").read_text()
    assert (tmp_path / "guards_0_for_toy_example.txt").exists()


def test_nothing_recorded(tmp_path: Path) -> None:
    write_report(Session(), str(tmp_path))
    assert "Nothing was compiled" in (tmp_path / "README.md").read_text()


def test_the_model_is_json_without_live_objects() -> None:
    text = json.dumps(to_json(toy()))
    assert "/0x" not in text
    assert "code object" not in text
    loaded = json.loads(text)
    assert loaded["frames"][0]["entries"][0]["graphs"][0]["name"] == "__compiled_fn_1"
    assert "code" not in loaded["frames"][0]["entries"][0]
    with pytest.raises(TypeError, match="live"):
        to_json(object())


def test_written_pages_are_equal_in_two_runs(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write_report(toy(), str(tmp_path / name))
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_the_page_is_a_module(tmp_path: Path) -> None:
    write_report(toy(), str(tmp_path))
    page = tmp_path / "full_code_for_toy_example_0.py"
    page.write_text(page.read_text().replace("import torch\n", ""))
    assert runpy.run_path(str(page))["toy_example"](2.0, -3.0) == original(2.0, -3.0)


@pytest.mark.parametrize(
    "body, line",
    [
        ("nonlocal n; n = 1", "global n  # cells of the enclosing function; n = 1"),
        ("def g():; nonlocal n; n = 1", "    global n  # cells of the enclosing function"),
        ("n = 2; def g():; nonlocal n; n = 1", "    nonlocal n"),
        ("def g(n):; def h():; nonlocal n, k; n = 1", "        nonlocal n; global k  # cells of"),
        ("nonlocal n; def g():; nonlocal n; n = 1", "    global n  # cells of the enclosing function"),
        ("k = [n for n in x]; def g():; nonlocal k; k = 1", "    nonlocal k"),
    ],
)
def test_what_inner_functions_assign_outside(body, line):
    lines, depth = ["def f(x):"], 1
    for one in body.split("; "):
        lines.append("    " * depth + one)
        depth += one.endswith(":")
    renamed = _renamed("\n".join(lines) + "\n", "page_of_f")
    compile(renamed, "page", "exec", dont_inherit=True)
    assert renamed.startswith("def page_of_f(x):\n")
    assert "\n    " + line.split("; n = ")[0] in renamed


@pytest.mark.parametrize("text", ["[a for a in b]", "{a for a in b}", "{a: a for a in b}", "(a + c for a in b)"])
def test_the_code_of_a_comprehension(text):
    function = eval(f"lambda c: lambda b: {text}", {})(1)
    codes = [one for one in function.__code__.co_consts if hasattr(one, "co_code")]
    for code in codes:  # from 3.12 on, that of a generator expression alone
        names: Dict[str, Any] = {}
        exec(code_constant("code_of_it", code), names)
        made = names["code_of_it"]
        assert (made.co_name, made.co_code, made.co_freevars) == (code.co_name, code.co_code, code.co_freevars)


def test_a_comprehension_that_dynamo_runs_by_itself():
    def comprehension(__nested_resume_fns, __nested_frame_values, names, ___stack0):
        found = [name for name in ___stack0 if name in names]
        return found

    code = comprehension.__code__
    for callers, header in (
        (["def f(a):\n    return __comprehension_f_at_3_1(a, a)\n"], "(names, ___stack0):"),
        (["def f(a):\n    return __comprehension_f_at_3_1([a], [], a, a)\n"],
         "(__nested_resume_fns, __nested_frame_values, names, ___stack0):"),
    ):  # fmt: skip
        section = comprehension_function("__comprehension_f_at_3_1", code, callers)
        assert section.startswith(f"# ---- __comprehension_f_at_3_1: the comprehension at line {code.co_firstlineno}")
        assert "\ndef __comprehension_f_at_3_1" + header in section
        compile(section, "<section>", "exec")


def test_names_that_are_absent_are_together():
    words = [".config.names has no key 'a'", ".config.names has no key 'b'", ".config is a Config",
             "has no attribute 'p'", "has no attribute 'q'", "has no key 'labels'"]  # fmt: skip
    text = " ".join(part.strip() for part in ArgumentRow("self", (), words, len(words)).lines())
    assert text == (
        "self  .config is a Config; has no key 'labels'; .config.names has none of the keys 'a', 'b'; "
        "has none of the attributes p, q"
    )
