"""Records what torch says and generates on a GPU, as test cases: run on a machine that has one, with its torch.

    python lab/record_gpu.py tests/cases/gpu       a file for each of the programs below

A file has the module that Inductor generated, the nodes of Dynamo's graph, what torch named for each kernel, and what
it said of CUDA graphs; depyf's answers are left out, as the tests are about them.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, List

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

PROGRAMS = {
    "pointwise": "gpu_pointwise",
    "reductions": "gpu_reductions",
    "template": "gpu_matrix_template",
    "users_kernel": "gpu_users_kernel",
    "combination": "gpu_combo_kernels",
    "cpp_wrapper": "gpu_wrapper_in_cpp",
    "parts": "gpu_cuda_graph_in_parts",
    "changed_inputs": "gpu_cuda_graph_not_for_changed_inputs",
    "cpu_tensor": "gpu_cuda_graph_not_for_the_cpu",
    "incompatible": "gpu_cuda_graph_not_for_some_operations",
    "cuda_graph": "gpu_cuda_graph",
}
"""Names of cases, and which program of tests/torch_programs/gpu.py each is."""


def record(name: str) -> Dict[str, Any]:
    """What torch says while the program runs."""
    import torch
    from torch_programs import load
    from torch_programs.suite import running

    import depyf
    from depyf.explain.kernels.cuda_graphs import CudaGraphs
    from depyf.explain.kernels.files import kernel_text
    from depyf.explain.kernels.provenance import Provenance
    from depyf.explain.model import to_json

    modules: List[Dict[str, Any]] = []
    messages: List[str] = []
    captured: List[bool] = []
    take, skipped, made = Provenance.take, CudaGraphs.skipped, CudaGraphs.made

    def heard(self: Any, source: str, graph: Any, cached: str = "") -> Any:
        told = {kernel: [[operation, to_json(line)] for operation, line in pairs]
                for kernel, pairs in self.by_kernel.items()}  # fmt: skip
        nodes = to_json(graph.nodes) if graph is not None else []
        modules.append({"source": kernel_text(source, []), "nodes": nodes, "told": told})
        return take(self, source, graph, cached)

    def heard_message(self: Any, graph: str, message: str, output: Any) -> None:
        messages.append(message)
        skipped(self, graph, message, output)

    def heard_of_one(self: Any, graph: str, is_backward: bool, output: Any) -> None:
        captured.append(is_backward)
        made(self, graph, is_backward, output)

    Provenance.take, CudaGraphs.skipped, CudaGraphs.made = heard, heard_message, heard_of_one  # type: ignore
    program = load()[PROGRAMS[name]]
    running.backend = program.backend
    torch.manual_seed(0)
    torch._dynamo.reset()
    with tempfile.TemporaryDirectory() as folder, depyf.prepare_debug(folder):
        program.run()
    Provenance.take, CudaGraphs.skipped, CudaGraphs.made = take, skipped, made  # type: ignore
    return {
        "program": program.name, "gpu": torch.cuda.get_device_name(), "torch": torch.__version__,
        "modules": modules, "captured": captured, "messages": messages,
    }  # fmt: skip


def main() -> None:
    """The command."""
    target = Path(sys.argv[1])
    target.mkdir(exist_ok=True)
    os.environ.update(TORCHINDUCTOR_FX_GRAPH_CACHE="0", TORCHINDUCTOR_AUTOGRAD_CACHE="0")
    for name in sys.argv[2:] or PROGRAMS:
        text = json.dumps(record(name), indent=1)
        (target / (name + ".json")).write_text(text.replace(str(ROOT) + os.sep, "") + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
