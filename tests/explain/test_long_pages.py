"""Pages of models with many layers: short to read, with the whole in the files beside, and they still run."""

from __future__ import annotations

import importlib.util
import re

import pytest
import torch

import depyf
from depyf.explain.report.page.below import Below
from depyf.explain.report.page.graph_summary import neighbours_together
from depyf.explain.report.page.guard_tree import folded_tree
from depyf.explain.report.page.repeats import Run, alike, as_an_earlier, runs
from depyf.explain.report.page.sections import _by_differences
from depyf.explain.report.page.shortened import filled_signature, shortened, without_fetches

HELPERS = "# ---- helpers of this page"


class Layer(torch.nn.Module):
    def __init__(self, number: int) -> None:
        super().__init__()
        self.number, self.inner, self.norm = number, torch.nn.Linear(4, 4), torch.nn.LayerNorm(4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.norm(x).sin() * self.number
        return x + torch.relu(self.inner(y)) * 0.5


class Model(torch.nn.Module):
    def __init__(self, count: int) -> None:
        super().__init__()
        self.layers, self.head = torch.nn.ModuleList(map(Layer, range(count))), torch.nn.Linear(4, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


def page_at(path):
    spec = importlib.util.spec_from_file_location("long_page", path)
    page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page)
    return page


@pytest.fixture(scope="module")
def dumped(tmp_path_factory):
    """A model of 24 layers, its dump, and a call's argument and result without torch.compile."""
    torch._dynamo.reset()
    torch.manual_seed(1)
    model, directory = Model(24).eval(), tmp_path_factory.mktemp("long")
    x = torch.randn(3, 4)
    expected = model(x)
    compiled = torch.compile(model, backend="eager")
    with depyf.prepare_debug(directory):
        assert torch.equal(compiled(x), expected)
    return model, directory, x, expected


def test_a_page_of_24_layers_is_no_longer_than_one_of_8(dumped, tmp_path):
    page = (dumped[1] / "full_code_for_forward_0.py").read_text().split(HELPERS)[0]
    small = Model(8).eval()
    with depyf.prepare_debug(tmp_path):
        torch.compile(small, backend="eager")(torch.randn(3, 4))
    shorter = (tmp_path / "full_code_for_forward_0.py").read_text().split(HELPERS)[0]
    assert page.count("\n") <= shorter.count("\n") and page.count("\n") < 100
    assert "24 times the same, self.layers.0 to self.layers.23:" in page
    assert "self.layers[n].number == n  (n = 0 to 23)" in page


def test_nothing_is_lost(dumped):
    directory = dumped[1]
    page = (directory / "full_code_for_forward_0.py").read_text()
    graph = re.search(r"in full: (\S+)", page).group(1)
    code = re.search(r"what runs is the whole: (\S+)", page).group(1)
    guards = re.search(r"see (guards\S+)", page).group(1)
    assert (directory / graph).read_text().count("layer_norm(") == 24
    assert (directory / code).read_text().count("['weight']") == 2 * 24 + 1
    listed = (directory / guards).read_text()
    assert "for n in 0 to 23, 24 times:" in listed and listed.count(".number == ") == 2


def test_the_page_runs_the_whole(dumped):
    model, directory, x, expected = dumped
    page = page_at(directory / "full_code_for_forward_0.py")
    assert torch.equal(page.forward(model, x), expected)
    assert page.__guard_0_for_forward({"self": model, "x": x}, vars(page))
    model.layers[13].number = 12
    try:
        assert not page.__guard_0_for_forward({"self": model, "x": x}, vars(page))
    finally:
        model.layers[13].number = 13


def test_after_the_fact_the_whole_is_at_the_end(dumped, tmp_path):
    model, _, x, expected = dumped
    torch._dynamo.reset()
    torch.compile(model, backend="eager")(x)
    text = depyf.explain.dump_src(model.forward)
    assert text.split(HELPERS)[0].count("\n") < 120 and "in full: the end of this page" in text
    path = tmp_path / "page.py"
    path.write_text(text)
    assert torch.equal(page_at(path).forward(model, x), expected)


class Interrupted(torch.nn.Module):
    """Breaks between two runs through its layers; with `scale` the second half closes over a variable."""

    def __init__(self, scale: bool) -> None:
        super().__init__()
        self.layers, self.scale = torch.nn.ModuleList(torch.nn.Linear(4, 4) for _ in range(100)), scale

    def forward(self, x: torch.Tensor, factor: float = 2.0) -> torch.Tensor:
        scaled = (lambda one: one * factor) if self.scale else torch.sin
        for layer in self.layers:
            x = layer(x)
        torch._dynamo.graph_break()
        for layer in self.layers:
            x = scaled(layer(x))
        return x


@pytest.mark.parametrize("scale", [False, True])
def test_a_page_with_a_break_runs_the_whole_of_both_halves(tmp_path, scale):
    torch._dynamo.reset()
    model, x = Interrupted(scale).eval(), torch.randn(3, 4)
    with depyf.prepare_debug(tmp_path):
        expected = torch.compile(model, backend="eager")(x)
    path = tmp_path / "full_code_for_forward_0.py"
    assert path.read_text().count("what runs is the whole") == 2
    assert torch.equal(page_at(path).forward(model, x), expected)


def test_the_whole_of_a_function_that_closes_over_a_variable_is_in_the_file_beside_the_page(tmp_path):
    torch._dynamo.reset()
    factor = 3.0

    def scaled(model, x):
        return model(x) * factor

    model, x = Model(24).eval(), torch.randn(3, 4)
    with depyf.prepare_debug(tmp_path):
        expected = torch.compile(scaled, backend="eager")(model, x)
    path = tmp_path / "full_code_for_scaled_0.py"
    assert "whole('__transformed_code_0_for_scaled.py', 'factor')" in path.read_text()
    page = page_at(path)
    page.use({"factor": factor})
    assert torch.equal(page.scaled(model, x), expected)


# ---- the parts


def written(texts, **given):
    return [(one.written(lambda place: "n"), one.numbers) for one in alike(texts, **given)]


def test_a_further_compilation_is_told_by_what_is_different(tmp_path):
    """Of the guards and the graph of a model, and only there: what is asked of another size runs."""
    torch._dynamo.reset()
    compiled = torch.compile(Model(24).eval(), backend="eager")
    with depyf.prepare_debug(tmp_path):
        for rows in (3, 5):
            compiled(torch.ones(rows, 4))
    text = (tmp_path / "full_code_for_forward_0.py").read_text().partition(HELPERS)[0]
    first, second = text.split("# ---- compilation 0/1")
    second = second.partition("# ---- what a call")[0]
    assert "# as __guard_0_for_forward, but:\n" in second and "shape [any, 4]" in second
    assert "Linear" in first and "Linear" not in second
    assert re.search(r"line by line as __compiled_fn_\d+  \(in full: ", second)
    assert len(second.splitlines()) < len(first.splitlines()) * 0.6
    page = page_at(tmp_path / "full_code_for_forward_0.py")
    assert [page.__guard_0_for_forward({"self": compiled._orig_mod, "x": torch.ones(rows, 4)}, vars(page))
            for rows in (3, 5)] == [True, False]  # fmt: skip
    assert page.__guard_1_for_forward({"self": compiled._orig_mod, "x": torch.ones(5, 4)}, vars(page))


def test_a_text_is_told_by_its_differences_from_an_earlier_one():
    first = ["x = f(a)", "y = __compiled_fn_1(x,  2)", "z = y + 1", "return z"]
    second = ["x = f(a)", "y = __compiled_fn_12(x, 2)", "z = y - 1", "return z"]
    assert as_an_earlier(second, {"g": ["a", "b"], "f": first}) == (
        "as f, with __compiled_fn_12 for __compiled_fn_1, but:", ["- z = y + 1", "+ z = y - 1"],
    )  # fmt: skip
    assert as_an_earlier(first, {"f": first}) == ("as f", [])
    assert as_an_earlier(["y = __compiled_fn_1(x, 3)", "z"], {"f": ["y = __compiled_fn_1(x, 2)", "z"]}) is None
    assert as_an_earlier(first, {}) is None


def test_shortened_code_that_is_alike_is_told_by_its_differences():
    below, code = Below(True), "def {}(self, x):\n    # fetched\n    h = f(x)\n    g(h)\n    i(h)\n    return {}\n"
    assert _by_differences(code.format("a", "h"), "a", below) == ""
    told = _by_differences(code.format("b", "[h]"), "b", below)
    assert told == "as a, but:\n-     return h\n+     return [h]"


def test_shortened_code_is_told_by_the_nearest_one():
    below = Below(True)
    text = "def f(x):\n    # fetched\n" + "    x = g(x)\n" * 6 + "    {}\n"
    for name, end in (("f_0", "return x"), ("f_1", "h(x)\n    y = x\n    return y"), ("f_2", "h(x)\n    return y")):
        told = _by_differences(text.format(end), name, below)
    assert told.splitlines() == ["as f_1, but:", "-     y = x"]


def test_neighbouring_lines_that_a_graph_has_more_are_one_row():
    row = "{}   self.a  masks.py:{}   {:<12}  {}".format
    alone = [row("+", 54, "a & b", "and_"), row("-", 55, "c", "neg"), row("+", 60, "d", "ge"), row("+", 41, "e", "to")]
    near = [row("+", 528, "arange(2)", "arange"), row("+", 529, "f", "ge"), row("+", 531, "x + 1", "add, mul")]
    assert neighbours_together(alone) == alone
    assert neighbours_together([*alone, *near, "  and 3 more"]) == [
        *alone, "+   self.a  masks.py:528-531  arange(2)  arange, ge, add, mul", "  and 3 more",
    ]  # fmt: skip


def test_parameters_that_are_passed_in_their_order_are_passed_together():
    names = [f"w_{at}" for at in range(90)]
    fetched = "    parts = self._parameters\n" + "".join(f"    {one} = parts['{one}']\n" for one in names)
    call = "    return __compiled_fn_1(\n        x,\n" + "".join(f"        {one},\n" for one in names) + "    )\n"
    assert "(\n        x,\n        *parameters,\n    )" in without_fetches("def f(self, x):\n" + fetched + call)
    other = call.replace("        w_2,\n", "").replace("        w_80,\n", "        y,\n        w_80,\n")
    assert without_fetches("def f(self, x):\n" + fetched + other).endswith(
        "        w_0,\n        w_1,\n        *parameters[3:80],\n        y,\n        *parameters[80:],\n    )\n"
    )
    assert "*parameters" not in without_fetches("def f(self, x, parameters):\n" + fetched + call)


def test_texts_that_differ_in_one_number_are_folded():
    texts = ["h[0].a == 0", "x is None", "h[1].a == 1", "h[2].a == 2", "h[2].b == 7"]
    assert written(texts) == [("h[n].a == n", (0, 1, 2)), ("x is None", (0,)), ("h[2].b == 7", (0,))]


def test_a_number_that_differs_by_itself_is_not_folded_away():
    texts = ["h[0].a == 3", "h[1].a == 3", "h[2].a == 4", "h[3].a == 3"]
    assert written(texts) == [("h[n].a == 3", (0, 1, 3)), ("h[2].a == 4", (0,))]


def test_a_layer_whose_value_is_its_number_by_chance_is_folded_with_the_others():
    assert written(["h[1].k == 3", "h[2].k == 3", "h[3].k == 3"]) == [("h[n].k == 3", (1, 2, 3))]


@pytest.mark.parametrize(
    "items, expected",
    [
        ("abcabcabcd", [Run(0, 3, 3)]),
        ("aaaa", [Run(0, 1, 4)]),
        ("xababy", []),
        ("xabababycccz", [Run(1, 2, 3), Run(8, 1, 3)]),
        ("aabaabaab", [Run(0, 3, 3)]),
    ],
)
def test_where_a_sequence_repeats(items, expected):
    assert runs(list(items)) == expected


TREE = """\
TREE_GUARD_MANAGER:
+- RootGuardManager
| +- GuardManager: source=L['self'], type=<class 'Model'>
| | +- GuardManager: source=L['self'].h[0]
| | | +- EQUALS_MATCH: L['self'].h[0].number == 0
| | | +- EQUALS_MATCH: L['self'].h[0].size == 5
| | +- GuardManager: source=L['self'].h[1]
| | | +- EQUALS_MATCH: L['self'].h[1].number == 1
| | | +- EQUALS_MATCH: L['self'].h[1].size == 5
| | +- GuardManager: source=L['self'].h[2]
| | | +- EQUALS_MATCH: L['self'].h[2].number == 2
| | | +- EQUALS_MATCH: L['self'].h[2].size == 5
{last}| +- GuardManager: source=G
"""
SAME = """\
TREE_GUARD_MANAGER:
+- RootGuardManager
| +- GuardManager: source=L['self'], type=<class 'Model'>
| | +- for n in 0 to 2, 3 times:
| | +- GuardManager: source=L['self'].h[{n}]
| | | +- EQUALS_MATCH: L['self'].h[{n}].number == {n}
| | | +- EQUALS_MATCH: L['self'].h[{n}].size == 5
"""
OTHER = """\
| | +- GuardManager: source=L['self'].h[3]
| | | +- EQUALS_MATCH: L['self'].h[3].number == 3
| | | +- EQUALS_MATCH: L['self'].h[3].size == 6
"""


@pytest.mark.parametrize("last", ["", OTHER])
def test_subtrees_of_layers_stand_once(last):
    tree = TREE.replace("{last}", last)
    assert folded_tree(tree) + "\n" == SAME + last + "| +- GuardManager: source=G\n"


def test_a_text_without_branches_stays():
    text = "L['a'] == 1\nL['b'] == 2\nL['c'] == 3"
    assert folded_tree(text) == text


def test_short_code_is_shown_in_full():
    source = "def f(a):\n" + "    a = a + 1\n" * 70 + "    return a\n"
    assert shortened(source) == (source, 0)


def test_what_repeats_stands_once_and_what_does_not_stays():
    lines = ["    h_{0} = make({0}, 'h')\n    put(h_{0}, kind)\n".format(n) for n in range(60)]
    source = "def f(\n    a,\n    b,\n):\n" + "".join(lines) + "    other(a)\n    return [\n        h_3,\n    ]\n"
    text, gone = shortened(source.replace("make(7, 'h')", "make(7, 'other')"))
    assert gone > 90 and "make(7, 'other')" in text and text.count("# ... the same") == 2
    assert text.startswith("def f(a, b):\n") and text.endswith("other(a)\n    return [h_3]\n")


@pytest.mark.parametrize("one, line", [("(\n            a,\n        )", "(a,)"), ("a", "a"), ("'( '", "'( '")])
def test_a_statement_that_has_become_short_is_one_line(one, line):
    lines = ["    h_{0} = make({0})\n".format(n) for n in range(90)]
    source = "def f(a):\n" + "".join(lines) + "    return g(\n        {},\n        3,\n    )\n".format(one)
    ends = "    return g({}, 3,)\n" if "," in line else "    return g({}, 3)\n"
    assert shortened(source)[0].endswith(ends.format(line))


def test_parameters_of_a_short_header_stay():
    assert filled_signature("def f(a, b):\n    pass\n") == "def f(a, b):\n    pass\n"


def test_a_signature_with_text_in_it_is_one_line():
    def long(x, *, kind="two  spaces, and a comma", another_parameter=1, a_third_parameter=2, and_the_fourth_one=3):
        return x + 1

    torch.compile(long, backend="eager")(torch.ones(2))
    page = depyf.explain.dump_src(long)
    (head,) = [line for line in page.splitlines() if line.startswith("def long(")]
    assert 'kind="two  spaces, and a comma"' in head and head.endswith("):")
    names = {}
    exec(page, names)
    assert torch.equal(names["long"](torch.ones(2)), torch.full((2,), 2.0))


LINES = "\n    ".join("line {} of many".format(number) for number in range(12))


@pytest.mark.parametrize("quotes", ["\'\'\'", '"' * 3])
@pytest.mark.parametrize("first", ["", "r", "\\\n    "])
def test_a_long_docstring_is_cut_and_the_original_runs(quotes, first, tmp_path):
    prefix, begins = (first, "") if first == "r" else ("", first)
    body = "def documented(x):\n    {}{}{}{}\n    {}\n    return x + 1\n".format(prefix, quotes, begins, LINES, quotes)
    path = tmp_path / "documented.py"
    path.write_text(body)
    names = {}
    exec(compile(body, str(path), "exec"), names)
    torch.compile(names["documented"], backend="eager")(torch.ones(2))
    page = depyf.explain.dump_src(names["documented"])
    assert "line 5 of many" not in page.partition("# The original")[2]
    found = {}
    exec(page, found)
    assert torch.equal(found["__original_documented"](torch.ones(2)), torch.full((2,), 2.0))
