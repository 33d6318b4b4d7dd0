"""The graphs of each compiler stage as files: valid Python, readable, with the user's line above each operation.

Graphs come from `lazy_format_graph_code`, which Dynamo, AOTAutograd and Inductor call with each graph at the moment
when it is whole; later passes change graphs in place, so the text is made then. A graph that itself runs (backends
``eager`` and ``aot_eager``) gets its file name into its code object at the end: see `graph_breakpoints.py`.
"""

from __future__ import annotations

import re
import weakref
from dataclasses import dataclass, field
from functools import cached_property
from types import CodeType
from typing import Any, Iterable

from ..code_objects import same_instructions
from ..names import safe_file_part, stable, without_addresses
from ..torch_facts import torch_behavior
from ..transformed.transformed_code import is_valid_python

__all__ = [
    "REPEATS",
    "STAGES",
    "GraphFile",
    "cached_graph_text",
    "forward_code",
    "graph_file_text",
    "is_same_graph",
    "signature_of",
    "stage_of",
    "why_open",
]

# The stages that a reader knows.
STAGES = {
    "Captured_Graph": "what Dynamo captured from your function",
    "Joint_graph": "forward and backward in one graph, before AOTAutograd splits it",
    "Forward_graph": "the forward graph in ATen operators, as AOTAutograd gives it to the backend",
    "Backward_graph": "the backward graph in ATen operators",
    "AFTER_POST_GRAD": "what Inductor generates kernels from",
    "Compiled_autograd_graph": "what compiled autograd recorded of a backward pass",
}

# Anything else is a pass in between, written only if it changed the graph.
IN_BETWEEN = {
    "BEFORE_PRE_GRAD": "what Inductor begins with",
}

_COMPILED_FN = re.compile(r"__compiled_fn_\d+")
_CLASS_LINE = re.compile(r"^(?P<indent>[ \t]*)class (?P<name>.*)\(torch\.nn\.Module\):$", re.MULTILINE)


_PLAIN = (int, float, bool, str, type(None))

# Shown once per inner graph too (branches of cond, bodies of loops); never worth a file where a known stage has one.
REPEATS = ("pre_insert_deferred_runtime_asserts",)


@dataclass
class GraphFile:
    """One graph at one stage.

    `graph_module` is a weak reference: a dump must not keep a model's parameters alive. `signature` is what the graph
    consisted of when the text was made, to see later whether a pass has changed it.
    """

    graph: str
    stage: str
    readable: str  # as torch prints it, which must be done while the user waits; "" where it is one more of the same
    options: dict[str, Any]
    signature: tuple[Any, ...]
    graph_module: weakref.ref[Any]
    path: str = ""
    is_what_runs: bool = False  # the code that runs names this file
    codes: list[CodeType | None] = field(default_factory=list)  # `forward` of the text, once it was compiled

    @cached_property
    def text(self) -> str:
        """The text of the file, which is valid Python."""
        return _valid(self.draft)

    @cached_property
    def draft(self) -> str:
        """The text before anyone has looked whether it is valid Python, which takes as long as the rest.

        Raises ReferenceError when there is none yet and the graph is gone.
        """
        if not self.readable:
            module = self.graph_module()
            if module is None:
                raise ReferenceError("the graph is gone")
            self.readable = torch_behavior.print_graph(module, self.options)
        return _draft(self.graph, self.stage, self.readable, why_open(self.stage))

    @property
    def is_in_between(self) -> bool:
        """Whether this is a pass rather than one of the stages a reader knows."""
        return self.stage not in STAGES

    @property
    def code(self) -> CodeType | None:
        """The code object of the text's `forward`; None when there is none."""
        if not self.codes:
            self.codes.append(forward_code(self.text, self.path or "<graph>"))
        return self.codes[0]


def stage_of(name: str, current: str) -> tuple[str, str]:
    """The graph and the stage that a title belongs to, both as parts of file names.

    Args:
        name: the title which torch gives: "Forward graph", "__compiled_fn_1_<uuid>", "pre pass __compiled_fn_1_<uuid>".
        current: the graph being compiled, for titles that do not name one.
    """
    name = stable(name.split(":")[0])  # export puts a dump of nn_module_stack after a colon
    found = _COMPILED_FN.search(name)
    graph = found.group() if found else current
    rest = name.replace(graph, "").strip() if found else name
    return graph, safe_file_part(rest) if rest else "Captured_Graph"


def why_open(stage: str) -> str:
    """What a graph at this stage is, for readers."""
    return STAGES.get(stage) or IN_BETWEEN.get(stage) or "the graph after a pass which changed it"


def signature_of(graph_module: Any) -> tuple[Any, ...]:
    """The operations of a graph by name, with their inputs, for comparison only. Other arguments are left out where
    they are no plain values: they cost too much to print while the user waits, and show in the instructions."""
    return tuple(
        (node.op, node.name, str(node.target), *(one.name for one in node.all_input_nodes),
         *(one for one in node.args if type(one) in _PLAIN))
        for node in graph_module.graph.nodes
    )  # fmt: skip


def is_same_graph(one: GraphFile, other: GraphFile) -> bool:
    """Whether two texts say the same."""
    if one.code is not None and other.code is not None:
        return same_instructions(one.code, other.code)
    return one.signature == other.signature


def graph_file_text(graph: str, stage: str, graph_module: Any, options: dict[str, Any]) -> str:
    """The whole text of a graph's file; comments only when torch's text is no valid Python."""
    return cached_graph_text(graph, stage, torch_behavior.print_graph(graph_module, options), why_open(stage))


def cached_graph_text(graph: str, stage: str, readable: str, why: str) -> str:
    """The same for a graph of which there is only the text that `print_readable` gave; `why` is what it is."""
    return _valid(_draft(graph, stage, readable, why))


def _draft(graph: str, stage: str, readable: str, why: str) -> str:
    readable = without_addresses(stable(readable.lstrip("\n")))
    readable = _CLASS_LINE.sub(_with_valid_class_name, readable)
    about = "# {}, {}: {}.\n".format(graph, stage.replace("_", " "), why)
    return about + _imports(readable) + "\n\n" + readable.rstrip() + "\n"


def _valid(text: str) -> str:
    if is_valid_python(text):
        return text
    about, _, rest = text.partition("\n")
    return about + "\n# torch's text of this graph is no valid Python, so it is shown as comments.\n" + "".join(
        ("# " + line).rstrip() + "\n" for line in rest.splitlines()
    )


def forward_code(text: str, path: str) -> CodeType | None:
    """The code object of the first class's `forward` in `text`, compiled as torch.fx compiles it: with no import in
    sight. CPython 3.11 to 3.13 compile ``torch.abs(x)`` differently below an ``import torch`` of the same file."""
    lines = text.splitlines(keepends=True)
    start = next((at for at, line in enumerate(lines) if line.startswith("class ")), 0)
    try:
        module = compile("\n" * start + "".join(lines[start:]), path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return None
    for body in _codes_in(module):
        for code in _codes_in(body):
            if code.co_name == "forward":
                return code
    return None


def _codes_in(code: CodeType) -> Iterable[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def _with_valid_class_name(match: re.Match[str]) -> str:
    name = match.group("name")
    return "{}class {}(torch.nn.Module):".format(
        match.group("indent"), name if name.isidentifier() else "GraphModule"
    )


def _imports(text: str) -> str:
    """The imports which the generated text relies on; annotations are strings and stay unevaluated."""
    lines = ["from __future__ import annotations", "", "import torch"]
    for name, statement in torch_behavior.registered_imports().items():
        if name != "torch" and name in text and re.search(rf"\b{re.escape(name)}\b", text):
            lines.append(statement)
    return "\n".join(lines) + "\n"
