"""What depyf makes of Inductor's output for a GPU, on recorded cases: tests/cases/gpu has how they were recorded."""

import ast
import contextlib
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
import torch._inductor.config as inductor_config
from torch._inductor import compile_fx, cudagraph_utils, output_code

import depyf
from depyf.explain.kernels.cuda_graphs import CudaGraphs, reason_of
from depyf.explain.kernels.files import kernel_parts
from depyf.explain.kernels.provenance import Provenance, kernel_lines_text
from depyf.explain.model import CacheEntry, CudaGraph, Frame, Graph, Kernel, Node, Session, SourceLine
from depyf.explain.report.html.times import times_html
from depyf.explain.report.index import index_text
from depyf.explain.report.linked.kernels import kernel_rows
from depyf.explain.report.linked.places import LineNumbers
from depyf.explain.report.page.page import page_of
from depyf.explain.report.remarks.costs import cost_remarks, costs_of
from depyf.explain.report.remarks.made import remarks_of
from depyf.explain.torch_facts.torch_keeps import compile_times
from depyf.explain.torch_facts.torch_kernels import loads_graph_module

CASES = Path(__file__).resolve().parents[1] / "cases" / "gpu"
NAMES = sorted(path.stem for path in CASES.glob("*.json"))


def case(name):
    return json.loads((CASES / (name + ".json")).read_text(encoding="utf-8"))


def line_of(found):
    return SourceLine(**found) if found else None


def module_of(name, told=True):
    """The source, the graph and the lines of the kernels; without what torch told, as they come out of a cache."""
    (module,) = case(name)["modules"]
    nodes = [Node(**{**node, "user_line": line_of(node["user_line"])}) for node in module["nodes"]]
    graph = Graph("__compiled_fn_1", nodes=nodes)
    provenance = Provenance()
    for kernel, pairs in module["told"].items() if told else ():
        provenance.by_kernel[kernel] = [(operation, line_of(line)) for operation, line in pairs]
    return module["source"], graph, provenance.take(module["source"], graph)


def rows_of(name, told=True):
    """Line of the program, kernel, operations."""
    lines = module_of(name, told)[2]
    return {(one.line.line if one.line else 0, one.kernel, ", ".join(one.operations)) for one in lines}


@pytest.mark.parametrize("name", NAMES)
def test_each_triton_kernel_can_be_read_by_itself(name):
    source = module_of(name)[0]
    parts = [part for part in kernel_parts(source) if part.language == "Triton"]
    assert len(parts) == source.count("= async_compile.triton(")
    for part in parts:
        text = part.text(["about"])
        functions = [node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
        assert functions and any("triton.jit" in line for line in text.splitlines()), part.name


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("told", [True, False], ids=["told", "from comments"])
def test_only_kernels_are_named(name, told):
    source, _, lines = module_of(name, told)
    for one in lines:
        assert one.kernel + " = async_compile" in source or one.kernel.startswith(
            ("extern_kernels.", "aoti_torch_", "torch.ops.")), one  # fmt: skip


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("pointwise", {(47, "triton_poi_fused_add_mul_sin_0", "sin"), (48, "triton_poi_fused_add_mul_sin_0", "add"),
                       (49, "triton_poi_fused_add_mul_sin_0", "mul")}),
        ("template", {(87, "triton_tem_fused_add_mm_relu_0", "mm"), (88, "triton_tem_fused_add_mm_relu_0", "add"),
                      (89, "triton_tem_fused_add_mm_relu_0", "relu")}),
        ("users_kernel", {(440, "triton_poi_fused_sin_0", "sin"), (440, "add_0", "a kernel of the program"),
                          (441, "triton_poi_fused_mul_1", "mul")}),
        ("cpp_wrapper", {(224, "triton_poi_fused_add_sin_0", "sin"), (225, "triton_poi_fused_add_sin_0", "add"),
                         (225, "aoti_torch_cuda_mm_out", "mm")}),
        ("combination", set()),  # torch names all operations for both kernels
    ],
)  # fmt: skip
def test_every_kernel_has_its_own_operations(name, rows):
    assert rows_of(name) == rows


def test_a_reduction_in_two_kernels_is_both():
    kernels = [kernel for line, kernel, _ in sorted(rows_of("reductions")) if line == 61]
    assert kernels == ["triton_per_fused_sum_1", "triton_red_fused_sum_0"]


def test_the_pane_of_kernels_links_definition_and_call():
    source, graph, lines = module_of("pointwise")
    graph.kernels.append(Kernel("kernel_0", source=source, lines=lines))
    linked = [row.text.strip() for row in kernel_rows(graph, LineNumbers()) if row.lines]
    assert "tmp1 = tl_math.sin(tmp0)" in linked
    assert any(text.startswith("triton_poi_fused_add_mul_sin_0.run(") for text in linked)


# ---- CUDA graphs


def heard(name):
    found = []
    cuda_graphs = CudaGraphs(found)
    for is_backward in case(name)["captured"]:
        cuda_graphs.made("__compiled_fn_1", is_backward, None)
    for message in case(name)["messages"]:
        cuda_graphs.skipped("__compiled_fn_1", message, None)
    (one,) = found
    return one


@pytest.mark.parametrize(
    ("name", "reason", "line"),
    [
        ("changed_inputs", "mutated inputs (1 instances)", "x.add_(1)"),
        ("cpu_tensor", "cpu device (arg0_1)", "z = y.sin() + 1"),
        ("incompatible", "incompatible op aten.nonzero.default", "return x.nonzero().float() * 2"),
    ],
)
def test_why_there_is_no_cuda_graph(name, reason, line):
    one = heard(name)
    assert (one.reason, one.line.text, one.line.filename) == (reason, line, "tests/torch_programs/gpu.py")


def test_what_torch_calls_is_heard(tmp_path):
    """Without a GPU: a pass calls what Inductor would."""

    class OnGpu:
        device_types = frozenset({"cuda"})
        cudagraph_info = partition_maps = None

    def skips(graph):
        cudagraph_utils.log_cudagraph_skip_and_bump_counter("skipping cudagraphs due to mutated inputs (1 instances).")

    def makes(graph):
        shared = {"stack_traces": [], "constants": (), "placeholders": (), "mutated_input_idxs": ()}
        compile_fx.cudagraphify(abs, device_index=0, is_backward=False, is_inference=True, **shared)

    def cuts(graph):
        with contextlib.suppress(AssertionError):
            output_code.cudagraph_partition_post_compile([], OnGpu(), None, None, None)

    with depyf.prepare_debug(str(tmp_path)):
        for one in (skips, makes, cuts):
            torch._dynamo.reset()
            with inductor_config.patch(post_grad_custom_post_pass=one, force_disable_caches=True):
                torch.compile(lambda x: x.sin() * 2)(torch.randn(4))
    lines = (tmp_path / "README.md").read_text(encoding="utf-8").splitlines()
    said = [line.partition(": ")[2] for line in lines if "CUDA graph" in line]
    assert said == [
        "",
        "no CUDA graph: mutated inputs (1 instances)",
        "a CUDA graph, recorded in one of the first calls and replayed after that",
        "no CUDA graph: Inductor found no part that can be one",
    ]


@pytest.mark.parametrize("name", ["cuda_graph", "parts"])
def test_a_cuda_graph_is_recorded(name):
    assert heard(name) == CudaGraph("__compiled_fn_1", parts=1)


def test_reasons_without_a_line():
    assert reason_of("skipping cudagraphs due to ['mutated inputs', 'complex memory overlap']") == (
        "mutated inputs, complex memory overlap", None)  # fmt: skip
    assert reason_of("skipping cudagraphs due to cpp wrapper enabled") == ("cpp wrapper enabled", None)


def session_with(*cuda_graphs):
    frame = Frame("f", "f", "toy.py", 3, entries=[CacheEntry("0/0", graphs=[Graph("__compiled_fn_1")])])
    return Session(frames=[frame], cuda_graphs=list(cuda_graphs)), frame


def test_the_index_the_page_and_the_remarks_say_it():
    refused = CudaGraph("__compiled_fn_1", parts=1, reason="mutated inputs", line=SourceLine("toy.py", 5, "x.add_(1)"))
    made = CudaGraph("__compiled_fn_1", "backward", parts=2)
    session, frame = session_with(refused, made)
    index = index_text(session)
    assert "- __compiled_fn_1 of `f` (toy.py:3): no CUDA graph: mutated inputs, at toy.py:5 `x.add_(1)`\n" in index
    assert "- __compiled_fn_1 of `f` (toy.py:3), backward: 2 CUDA graphs" in index
    assert "# On the GPU: no CUDA graph: mutated inputs, at toy.py:5" in page_of(frame, session, True)
    remarks = [(one.line, one.words) for one in remarks_of(session) if one.kind == "kernel"]
    assert remarks == [
        (3, "graph 1 (backward): 2 CUDA graphs, with what can't be in one between them"),
        (5, "graph 1: no CUDA graph: mutated inputs"),
    ]


def test_what_is_no_cuda_graph_is_not_spoken_of():
    assert "CUDA" not in index_text(session_with()[0])


def test_the_documentation_shows_the_rows():
    rows = "\n".join(kernel_lines_text(module_of("users_kernel")[2]))
    assert "```text\n" + rows + "\n```" in (CASES / "README.md").read_text(encoding="utf-8")


def test_the_time_of_the_first_calls_is_no_backward_graphs():
    in_calls = compile_times(SimpleNamespace(compile_id="0/0", co_name=None, duration_us=67000, is_runtime=True))
    backward = compile_times(SimpleNamespace(compile_id="0/0", co_name=None, duration_us=1000000, is_runtime=False))
    session = session_with()[0]
    session.times = [in_calls, backward]
    (remark,) = cost_remarks(costs_of(session))
    assert remark.words == "compiled in 1.1 s: 0/0 in calls 67 ms, 0/0 backward 1.0 s"
    assert "in the first calls" in times_html(session.times, 0.0)


def test_modules_that_are_no_graphs_are_left_alone():
    """`load_by_key_path` is asked for a graph's module, in it for a Triton kernel, and by a benchmark around it."""

    def load_by_key_path():
        return _tell()

    def _tell():
        return asked()

    def asked():
        return loads_graph_module()

    def compile_to_module():
        return load_by_key_path()

    def make_run_fn():
        return load_by_key_path()

    def codegen():
        return make_run_fn()

    assert compile_to_module()
    names = {"load": load_by_key_path}
    exec("found = load()", names)
    assert not names["found"]
    assert not codegen()
