"""The four texts of a compilation: which lines are linked, and which must not be."""

import pytest

from depyf.explain.model import CacheEntry, Decompiled, Frame, Graph, Kernel, KernelLine, Node, Session, SourceLine
from depyf.explain.report.html.panes import panes_html
from depyf.explain.report.linked.compilations import compilations
from depyf.explain.report.linked.drawing import drawings
from depyf.explain.report.linked.places import LineNumbers

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
    assert 'id="step"' in text and 'id="step~0/1"' in text
    assert links["train.py", 4] == "step:4" and links["helpers.py", 5] == "step:helpers.py:5"


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


def test_a_small_graph_is_drawn_operation_by_operation_with_every_edge():
    *_, whole = drawings(chain(2), LineNumbers())
    labels = [box.label for box in whole.boxes if box.label]
    assert whole.title == "each operation"
    assert labels == ["linear", "relu", "add", "linear", "relu", "add", "sum", "item"]
    assert [reached(whole, at) for at in range(8)] == [
        {"relu"}, {"add"}, {"linear", "add"}, {"relu"}, {"add"}, {"sum"}, {"item"}, set(),
    ]  # fmt: skip


def test_edges_lead_from_a_rank_to_the_next_and_no_two_boxes_share_a_place():
    for drawing in drawings(chain(6), LineNumbers()):
        assert drawing.edges
        for source, target in drawing.edges:
            assert drawing.boxes[target].rank == drawing.boxes[source].rank + 1
        places = [(box.rank, box.order) for box in drawing.boxes]
        assert len(set(places)) == len(places)


def test_a_large_graph_is_drawn_by_modules_alone():
    titles = {one.title: [box.label for box in one.boxes if box.label] for one in drawings(chain(40), LineNumbers())}
    assert titles == {
        "modules, to depth 1": ["self: 120 operations", "sum", "item"],
        "modules, to depth 3": [*("self.blocks.{}: 3 operations".format(at) for at in range(40)), "sum", "item"],
    }
    assert drawings(chain(3000), LineNumbers())[-1].title == "modules, to depth 1"


def test_a_box_is_for_the_lines_of_all_that_it_stands_for():
    places = LineNumbers()
    first = drawings(chain(40), places)[0].boxes[0]
    assert {places.found[at].line for at in first.lines} == {2}
    assert {places.found[at].line for at in first.through} == {3}


def test_a_graph_of_one_operation_is_not_drawn():
    assert drawings(Graph("g", nodes=[Node("call_function", "a", "a")]), LineNumbers()) == []
