"""The four texts of a compilation: which lines are linked, and which must not be."""

import re

import pytest

from depyf.explain.model import (
    CacheEntry,
    Decompiled,
    Frame,
    Graph,
    Guard,
    Kernel,
    KernelLine,
    Node,
    RecompileReason,
    Session,
    SourceLine,
)
from depyf.explain.report.html.drawings import drawing_html
from depyf.explain.report.html.guards import difference_html
from depyf.explain.report.html.panes import panes_html
from depyf.explain.report.linked.compilations import compilations
from depyf.explain.report.linked.drawing import drawing
from depyf.explain.report.linked.places import LineNumbers
from depyf.explain.report.page.guard_text import difference

SOURCE = """\
def step(x):
    y = scaled(x)
    z = shifted(y)
    return z @ z
"""
GRAPH = """\
def __compiled_fn_1(L_x_):
    # L_x_: f32[4]
    mul = L_x_ * 2      # f32[4]  helpers.py:5  return x * 2
    add = mul + 1       # f32[4]  helpers.py:9  return scaled(x) + 1
    mul_1 = add * 2     # f32[4]  helpers.py:5  return x * 2
    out = mul_1 @ mul_1 # f32[]  train.py:4  return z @ z
    return (out,)
"""
TRANSFORMED = """\
def step(x):
    (out,) = __compiled_fn_1(x)
    return __resume_at_8_2(out)
"""
GENERATED = '''\
import torch
async_compile = AsyncCompile()

cpp_fused_mul_0 = async_compile.cpp_pybinding(['const float*'], r"""
void kernel(const float* in)
{
}
""")

cpp_unknown_1 = async_compile.cpp_pybinding(['const float*'], r"""
void kernel() {}
""")

def call(args):
    cpp_fused_mul_0(arg0, buf0)
    cpp_unknown_1(buf0)
    extern_kernels.mm(buf0, buf0, out=buf1)
    return (buf1,)
'''


def line(number, file="train.py"):
    return SourceLine(file, number, "text {}".format(number))


CALLS = {"mul": [line(2)], "add": [line(3)], "mul_1": [line(3), line(9, "helpers.py")], "out": []}
LINES = {"mul": line(5, "helpers.py"), "add": line(9, "helpers.py"), "mul_1": line(5, "helpers.py"), "out": line(4)}


def session(graph_source=GRAPH, **changes):
    nodes = [Node("call_function", name, name, LINES[name], callers=CALLS[name]) for name in LINES]
    kernel = Kernel("k", path="kernel_0.py", source=GENERATED)
    kernel.lines = [
        KernelLine("cpp_fused_mul_0", LINES["mul"], ["mul"]),
        KernelLine("extern_kernels.mm", line(4), ["mm"]),
    ]
    graph = Graph("__compiled_fn_1", source=graph_source, nodes=nodes, kernels=[kernel], backend="inductor")
    entry = CacheEntry("0/0", transformed=Decompiled(TRANSFORMED, "equivalent"), graphs=[graph])
    frame = Frame("step", "step", "train.py", 1, SOURCE, [entry])
    for name, value in changes.items():
        setattr(entry, name, value)
    return Session(frames=[frame])


def linked(one, pane, text):
    """The places of a row, by its text, as `(own lines, calls that led there)`."""
    (found,) = [row for row in one.panes[pane].rows if row.text.strip().startswith(text)]
    places = ["{}:{}".format(place.filename, place.line) for place in one.places]
    return {places[at] for at in found.lines}, {places[at] for at in found.through}


@pytest.fixture(scope="module")
def one():
    (found,) = compilations(session())
    return found


def test_the_source_has_the_function_and_the_lines_traced_from_it(one):
    rows = one.panes[0].rows
    assert [row.text for row in rows if row.number in (1, 2, 3, 4) and not row.is_note][:4] == SOURCE.splitlines()
    titles = [row.text for row in rows if row.is_note and row.text != "..."]
    assert titles == ["train.py:1", "helpers.py, traced from it"]
    assert linked(one, 0, "def step") == (set(), set())  # took no part
    assert linked(one, 0, "return z @ z") == ({"train.py:4"}, set())


def test_a_node_is_for_its_line_and_comes_through_the_calls(one):
    assert linked(one, 2, "mul =") == ({"helpers.py:5"}, {"train.py:2"})
    assert linked(one, 2, "mul_1 =") == ({"helpers.py:5"}, {"train.py:3", "helpers.py:9"})
    assert linked(one, 2, "out =") == ({"train.py:4"}, set())
    assert linked(one, 2, "return (out,)") == (set(), set())


def test_places_and_inputs_are_not_repeated_in_the_graph(one):
    assert not [row for row in one.panes[2].rows if "helpers.py" in row.text or row.text.strip().startswith("# L_x_")]


def test_the_call_of_the_graph_is_for_all_of_its_lines(one):
    own, through = linked(one, 1, "(out,) =")
    assert own == {"helpers.py:5", "helpers.py:9", "train.py:4"}
    assert through == {"train.py:2", "train.py:3", "helpers.py:9"}
    assert linked(one, 1, "return __resume") == (set(), set())  # nothing is known of where it goes on


def test_a_kernel_is_for_the_lines_that_torch_names(one):
    assert linked(one, 3, "void kernel(const")[0] == {"helpers.py:5"}
    assert linked(one, 3, "cpp_fused_mul_0(arg0")[0] == {"helpers.py:5"}
    assert linked(one, 3, "extern_kernels.mm(")[0] == {"train.py:4"}


def test_a_kernel_is_not_linked_to_a_call_when_its_line_is_reached_through_two(one):
    assert linked(one, 3, "cpp_fused_mul_0(arg0")[1] == set()


def test_a_kernel_of_which_torch_says_nothing_is_shown_and_not_linked(one):
    assert linked(one, 3, "void kernel() {}") == (set(), set())
    assert linked(one, 3, "cpp_unknown_1(buf0") == (set(), set())


def test_the_share_of_linked_lines_is_that_of_lines_with_operations(one):
    assert (one.linked, one.computing) == (2, 3)  # helpers.py:9 has none


def test_layers_that_are_alike_are_shown_once_with_the_lines_of_all():
    layer = "    mul_{0} = x_{0} * 2\n    add_{0} = mul_{0} + 1\n    cos_{0} = add_{0}.cos()"
    rows = [layer.format(n) for n in range(40)]
    source = "def __compiled_fn_1(x):\n" + "\n".join(rows) + "\n    return (mul_39,)\n"
    made = session(source)
    graph = made.frames[0].entries[0].graphs[0]
    graph.nodes = [Node("call_function", "{}_{}".format(name, n), name, line(2)) for n in range(40)
                   for name in ("mul", "add", "cos")]  # fmt: skip
    (one,) = compilations(made)
    texts = [row.text.strip() for row in one.panes[2].rows]
    first = ["mul_0 = x_0 * 2", "add_0 = mul_0 + 1", "cos_0 = add_0.cos()"]
    assert texts[2:] == [*first, "... 39 times more", "return (mul_39,)"]
    assert linked(one, 2, "... 39 times more")[0] == {"train.py:2"}


def test_a_refused_compilation_says_so_in_the_place_of_its_code():
    refused = Decompiled(reasons=["the stack is empty"], verdict="refused")
    (one,) = compilations(session(transformed=refused))
    assert [row.text for row in one.panes[1].rows] == ["no source is proven for it: the stack is empty"]


def test_generated_code_that_is_no_python_is_shown_whole():
    made = session()
    kernel = made.frames[0].entries[0].graphs[0].kernels[0]
    kernel.source, kernel.lines = "void f() {\n}\n", []
    (one,) = compilations(made)
    assert [row.text for row in one.panes[3].rows][1:] == ["void f() {", "}"]


def test_text_of_the_program_is_escaped():
    made = session()
    made.frames[0].source = SOURCE.replace("x)", 'x): # <script>"&')
    made.frames[0].name = made.frames[0].qualname = '<b id="x">'
    text, _ = panes_html(compilations(made))
    assert "<script>" not in text and "<b id" not in text


def test_each_compilation_has_a_name_of_its_own_and_lines_lead_to_the_first():
    made = session()
    made.frames[0].entries.append(CacheEntry("0/1", transformed=Decompiled(TRANSFORMED, "equivalent"),
                                             graphs=made.frames[0].entries[0].graphs))  # fmt: skip
    text, links = panes_html(compilations(made))
    assert 'id="step"' in text and 'id="step~0/1"' in text and "2 compilations</span>" in text
    assert links["train.py", 4] == "step:4" and links["helpers.py", 5] == "step:helpers.py:5"


def test_panes_begin_at_the_call_of_a_graph_and_at_the_body_of_a_kernel(one):
    assert [[row.text.strip() for row in pane.rows if row.is_main] for pane in one.panes] == [
        [], ["(out,) = __compiled_fn_1(x)"], [], ["void kernel(const float* in)", "void kernel() {}"],
    ]  # fmt: skip


def test_lines_traced_from_the_function_begin_at_the_margin(tmp_path):
    path = tmp_path / "layers.py"
    body = "        x += 1\n" * 6 + "        if x:\n            return x\n"
    path.write_text("class A:\n    def f(self, x):\n" + body)
    made = session()
    made.frames[0].entries[0].graphs[0].nodes = [Node("call_function", "a", "a", line(10, str(path)))]
    (one,) = compilations(made)
    rows = [row.text for row in one.panes[0].rows]
    at = rows.index("layers.py, traced from it") + 1
    assert rows[at : at + 3] == ["x += 1", "if x:", "    return x"]


# ---- guards of two compilations, side by side


def compiled(number, *words, **state):
    guards = [Guard("", "EQUALS_MATCH", one.split(" ")[0].rstrip(":"), one) for one in words]
    return CacheEntry(number, guards=guards, state=state)


def test_only_what_differs_is_told_by_what_is_checked():
    entries = [compiled("0/0", "x: f32[4]", "n == 3", "y is None", grad_mode="True"),
               compiled("0/1", "x: f32[any]", "2 <= x.shape[0]", "y is None", "z == 1", grad_mode="False")]  # fmt: skip
    found = difference(entries[1], Frame("f", entries=entries))
    assert found.rows == [
        (["global state: grad mode on"], ["global state: grad mode off"]),
        (["x: f32[4]"], ["x: f32[any]"]),
        (["n == 3"], []),
        ([], ["2 <= x.shape[0]"]),
        ([], ["z == 1"]),
    ]
    assert found.same == 1 and difference(entries[0], Frame("f", entries=entries)) is None


def test_the_compilation_that_differs_least_is_beside_it():
    entries = [compiled("0/0", "n == 1", "m == 1"), compiled("0/1", "n == 2", "m == 2", "k == 2"),
               compiled("0/2", "n == 3", "m == 1")]  # fmt: skip
    assert difference(entries[2], Frame("f", entries=entries)).earlier is entries[0]
    entries[2].recompiled = [RecompileReason("0/1")]
    assert difference(entries[2], Frame("f", entries=entries)).earlier is entries[1]


def test_the_words_that_differ_are_marked_and_escaped():
    entries = [compiled("0/0", "x: f32[4] <b>"), compiled("0/1", "x: f32[5] <b>")]
    text = difference_html(difference(entries[1], Frame("f", entries=entries)), "0/1")
    assert "<td>x: f32[<mark>4</mark>] &lt;b&gt;</td><td>x: f32[<mark>5</mark>] &lt;b&gt;</td>" in text


# ---- the drawing


def chain(layers):
    """A graph of layers with a residual connection each, in modules, and two operations of their own after them."""
    nodes = [Node("placeholder", "x", "x")]
    last = "x"
    for at in range(layers):
        module = "self.blocks.{}".format(at)
        for name, inputs in (("linear", [last]), ("relu", ["linear_{}".format(at)]),
                             ("add", ["relu_{}".format(at), last])):  # fmt: skip
            nodes.append(Node("call_function", "{}_{}".format(name, at), name, line(2), module, [line(3)], inputs))
        last = "add_{}".format(at)
    nodes.append(Node("call_function", "sum_1", "torch.sum", line(4), inputs=[last]))
    nodes.append(Node("call_method", "out", "item", line(4), inputs=["sum_1"]))
    return Graph("__compiled_fn_1", nodes=nodes)


def reached(drawing, start):
    """Labels of the boxes to which edges lead from a box, by way of those without one."""
    found = set()
    for source, target in drawing.edges:
        if source == start:
            label = drawing.boxes[target].label
            found |= {label} if label else reached(drawing, target)
    return found


def edges(drawing):
    """Each labelled box with those that it leads to; "" for what comes into a module."""
    entry = {target for _, target in drawing.edges}
    boxes = [(at, box.label) for at, box in enumerate(drawing.boxes) if box.label or at not in entry]
    return [(label, sorted(reached(drawing, at))) for at, label in boxes]


def levels(drawing):
    """The drawing, and those in it."""
    yield drawing
    for box in drawing.boxes:
        if box.inside is not None:
            yield from levels(box.inside)


def test_operations_are_drawn_in_their_modules_with_every_edge():
    nodes = chain(2).nodes
    nodes[0].shape, nodes[1].shape, nodes[4].target = "f32[2, 8]", "f32[2, 4]", "other"  # of two layers that differ
    outer = drawing(Graph("g", nodes=nodes), LineNumbers())
    assert edges(outer) == [("x", ["blocks"]), ("blocks", ["sum"]), ("sum", ["item"]), ("item", [])]
    assert outer.boxes[0].shape == "f32[2, 8]"
    blocks = outer.boxes[1].inside
    assert edges(blocks) == [("", ["0"]), ("0", ["1"]), ("1", [])]
    first = blocks.boxes[1].inside
    assert edges(first) == [("", ["add", "linear"]), ("linear", ["relu"]), ("relu", ["add"]), ("add", [])]
    assert first.boxes[1].shape == "f32[2, 4]"


def test_edges_lead_from_a_rank_to_the_next_and_no_two_boxes_share_a_place():
    for one in levels(drawing(chain(6), LineNumbers())):
        assert one.edges
        for source, target in one.edges:
            assert one.boxes[target].rank == one.boxes[source].rank + 1
        places = [(box.rank, box.order) for box in one.boxes]
        assert len(set(places)) == len(places)


@pytest.mark.parametrize("count", [2, 40, 3000])
def test_layers_that_are_alike_are_drawn_once(count):
    outer = drawing(chain(count), LineNumbers())
    assert [box.label for box in outer.boxes] == [
        "blocks.0 to {}, {} times".format(count - 1, count), "sum", "item"]  # fmt: skip
    assert [box.label for box in outer.boxes[0].inside.boxes if box.label] == ["linear", "relu", "add"]


def test_modules_are_closed_where_the_drawing_would_be_too_large():
    graph = chain(40)
    for at, node in enumerate(node for node in graph.nodes if node.target == "relu"):
        node.target = "relu" + "x" * at  # none is like another
    labels = [box.label for box in drawing(graph, LineNumbers()).boxes[0].inside.boxes if box.label]
    assert labels == ["{}: 3 operations".format(at) for at in range(40)]
    for node in graph.nodes:
        node.module = ""
    assert drawing(graph, LineNumbers()) is None


def test_a_box_is_for_the_lines_of_all_that_it_stands_for():
    places = LineNumbers()
    first = drawing(chain(40), places).boxes[0]
    assert {places.found[at].line for at in first.lines} == {2}
    assert {places.found[at].line for at in first.through} == {3}


def test_a_module_is_drawn_around_what_is_in_it():
    text = drawing_html("g", drawing(chain(2), LineNumbers()))
    found = re.findall(r'<rect x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"', text)
    boxes = [(int(x), int(y), int(x) + int(width), int(y) + int(height)) for x, y, width, height in found]
    (left, top, right, bottom), inner, outer = boxes[0], boxes[1:4], boxes[4:]
    assert all(left < x and top < y and to < right and end < bottom for x, y, to, end in inner)
    assert all(bottom < y for _, y, _, _ in outer) and len(outer) == 2


def test_a_graph_of_one_operation_is_not_drawn():
    assert drawing(Graph("g", nodes=[Node("call_function", "a", "a")]), LineNumbers()) is None
