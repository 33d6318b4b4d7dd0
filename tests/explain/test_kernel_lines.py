"""Lines behind kernels that a cache gave back: those of this run, never those of the run that filled the cache."""

from depyf.explain.kernels.provenance import Provenance
from depyf.explain.model import Graph, Node, SourceLine

WRAPPER = "cpp_fused_mul_0 = async_compile.cpp_pybinding(...)\n\ndef call(args):\n    cpp_fused_mul_0(arg0, buf0)\n"
CACHED = """\
     # File: old.py:3 in f, code: y = x * 2
    mul = torch.ops.aten.mul.Tensor(x, 2)
"""


def lines_of(*user_lines):
    graph = Graph("__compiled_fn_1")
    for line in user_lines:
        graph.nodes.append(Node(op="call_function", name="y", target="mul", user_line=line))
    return [(one.kernel, one.line, one.operations) for one in Provenance().take(WRAPPER, graph, CACHED)]


def test_a_line_that_has_moved_is_named_where_it_is_now():
    now = SourceLine("new.py", 40, "y = x * 2", "f")
    assert lines_of(SourceLine("new.py", 39, "x = x + 1", "f"), now) == [("cpp_fused_mul_0", now, ["mul"])]


def test_no_line_is_named_where_there_is_none_or_more_than_one():
    assert lines_of(SourceLine("new.py", 40, "y = x * 3", "f")) == [("cpp_fused_mul_0", None, ["mul"])]
    twice = [SourceLine("new.py", number, "y = x * 2", "f") for number in (40, 50)]
    assert lines_of(*twice) == [("cpp_fused_mul_0", None, ["mul"])]
