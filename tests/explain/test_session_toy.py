"""The README's program, in a process of its own for each backend, with and without gradients.

What it computes is what it computes without us; every .py file of the dump compiles; two runs give equal names and
contents; the files have the names which others look for.
"""

import json
import os
import re

import pytest
from forks import TORCH

PROGRAM = '''
import json, sys
import torch


def toy_example(a, b):
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


def main(backend, needs_grad):
    compiled = torch.compile(toy_example, backend=backend)
    found = []
    torch.manual_seed(0)
    for step in range(12):
        a = torch.randn(10, requires_grad=needs_grad)
        b = torch.randn(10) + (step % 2 * 2 - 1)
        out = compiled(a, b)
        found.append(out.tolist())
        if needs_grad:
            out.sum().backward()
            found.append(a.grad.tolist())
    return found


if sys.argv[1] == "alone":
    print(json.dumps(main(sys.argv[2], sys.argv[3] == "grad")))
else:
    import depyf

    with depyf.prepare_debug(sys.argv[1]):
        result = main(sys.argv[2], sys.argv[3] == "grad")
    print(json.dumps(result))
    before = torch._dynamo.utils.counters["stats"]["unique_graphs"]
    assert main(sys.argv[2], sys.argv[3] == "grad") == result  # what is compiled now goes on to work
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == before
'''

RESUMED = "torch_dynamo_resume_in_toy_example_at_8"
ALWAYS = {
    "README.md",
    "full_code_for_toy_example_0.py",
    "__transformed_code_0_for_toy_example.py",
    "__transformed_code_0_for_{}.py".format(RESUMED),
    "__transformed_code_1_for_{}.py".format(RESUMED),
}
STAGES = {
    ("eager", "no_grad"): ["Captured_Graph.0"],
    ("eager", "grad"): ["Captured_Graph.0"],
    ("aot_eager", "no_grad"): ["Captured_Graph.0", "Forward_graph.0"],
    ("aot_eager", "grad"): ["Captured_Graph.0", "Joint_graph.0", "Forward_graph.0", "Backward_graph.0"],
    ("inductor", "no_grad"): ["Captured_Graph.0", "Forward_graph.0", "AFTER_POST_GRAD.0", "kernel_0"],
    ("inductor", "grad"): [
        "Captured_Graph.0", "Joint_graph.0", "Forward_graph.0", "Backward_graph.0",
        "AFTER_POST_GRAD.0", "AFTER_POST_GRAD.1", "kernel_0", "kernel_1",
    ],
}


def run(program, *several):
    """Runs the program once per list of arguments, all at a time; what each printed, as lines.

    What is dumped of graphs that Inductor finds in its caches is in `test_kernels.py`.
    """
    ended = [one.finish() for one in [TORCH.start(program, *arguments) for arguments in several]]
    assert [one.returncode for one in ended] == [0] * len(ended), ended[-1].stderr[-3000:]
    return [one.stdout.splitlines() for one in ended]


def contents(directory):
    found = {}
    for name in sorted(os.listdir(str(directory))):
        with open(os.path.join(str(directory), name), encoding="utf-8") as file:
            found[name] = file.read()
    for name in ("compile_times.txt", "compile_times.json", "compile_times.trace.json"):  # they differ in every run
        found.pop(name, None)
    return found


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("program") / "toy.py"
    path.write_text(PROGRAM)
    return path


@pytest.fixture(scope="module", params=sorted(STAGES), ids="-".join)
def runs(request, program, tmp_path_factory):
    """The program's output alone and in two recordings, and what these wrote."""
    home = tmp_path_factory.mktemp("dump")
    places = "alone", home / "first", home / "second"
    (alone,), *recorded = run(program, *([place, *request.param] for place in places))
    dumps = [contents(home / "first"), contents(home / "second")]
    return request.param, alone, recorded, dumps, [str(program), str(home)]


def test_computes_what_it_computes_alone(runs):
    _, alone, recorded, _, _ = runs
    assert len(json.loads(alone)) >= 12
    assert recorded == [[alone], [alone]]


def test_two_runs_give_equal_names_and_contents(runs):
    _, _, _, (first, second), _ = runs
    assert list(first) == list(second)
    for name in first:
        assert first[name] == second[name], name


def test_every_python_file_compiles(runs):
    _, _, _, (dump, _), _ = runs
    files = [name for name in dump if name.endswith(".py")]
    assert len(files) >= 4
    for name in files:
        compile(dump[name], name, "exec", dont_inherit=True)


def test_files_have_the_names_that_others_look_for(runs):
    case, _, _, (dump, _), _ = runs
    assert set(dump) >= ALWAYS
    graphs = sorted({name.split(".")[0] for name in dump if name.startswith("__compiled_fn_")})
    assert graphs == ["__compiled_fn_1", "__compiled_fn_5", "__compiled_fn_7"]
    for graph in graphs:
        found = {name[len(graph) + 1 : -3] for name in dump if name.startswith(graph + ".") and name.endswith(".py")}
        assert found == {*STAGES[case], "repro"}, graph


def test_transformed_code_is_proven_folded_and_what_runs(runs):
    _, _, _, (dump, _), _ = runs
    for name in dump:
        if name.startswith("__transformed_code_"):
            assert "Proven equivalent to Dynamo's bytecode" in dump[name], name
            assert "This is what runs" in dump[name], name
    text = dump["__transformed_code_0_for_toy_example.py"]
    assert re.search(r"^        return __resume_at_\d+_2\(\[\], \[\], b, \w+\)$", text, re.MULTILINE)
    assert "del graph_out" in text and "record_pregraph_bytecode_enter" in text


def test_nothing_of_the_process_is_in_names_or_text(runs):
    _, _, _, (dump, _), (program, home) = runs
    uuid = re.compile(r"[0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_]", re.IGNORECASE)
    for name, text in dump.items():
        assert not uuid.search(name) and not uuid.search(text), name
        assert not re.search(r"\b0x[0-9a-f]{6,}", text), name
        text = text.replace(program, "")  # the user's program may be named
        assert home not in text, name
        assert "torchinductor_" not in text, name


def test_graphs_show_the_users_lines(runs):
    _, _, _, (dump, _), _ = runs
    text = dump["__compiled_fn_1.Captured_Graph.0.py"]
    assert "x = a / (torch.abs(a) + 1)" in text
    assert text.index("torch.abs(l_a_)") < text.index("l_b_.sum()")


def test_the_index_lists_every_file(runs):
    _, _, _, (dump, _), _ = runs
    for name in dump:
        assert name == "README.md" or name in dump["README.md"], name
