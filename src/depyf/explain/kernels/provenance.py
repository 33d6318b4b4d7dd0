"""Which line of the program became which kernel.

Inductor says of every kernel which operations went into it (`Provenance.made`), and its wrapper names, above a call of
a kernel that is a library's, the nodes of Dynamo's graph that it was made of; a node has the line of the program. What
a cache gives back has those comments alone.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Iterable, Optional, Tuple
from weakref import WeakKeyDictionary

from ..graphs.capture import user_line_of
from ..model import Graph, KernelLine, SourceLine
from ..torch_facts.torch_kernels import operations_behind

__all__ = ["Provenance", "kernel_lines_text", "operation_of"]

_SOURCE_NODES = re.compile(r"^\s*# (?:Topologically Sorted |Unsorted )?Source Nodes: \[(?P<nodes>[^\]]*)\]"
                           r"(?:, Original ATen: \[(?P<aten>[^\]]*)\])?")
_CALLED = re.compile(r"^\s*(?:\w+ = )?(?P<name>[A-Za-z_][\w.]*?)(?:\.run)?\(")
_CALL = re.compile(r"\b(?P<name>[A-Za-z_][\w.]*)\(")
_FUSED = re.compile(r"^(\w+?_fused_(\w+)_\d+) = ", re.MULTILINE)
_FILE = re.compile(r"^\s*# File: (?P<file>.*?):(?P<line>\d+) in (?P<function>\S+), code: (?P<text>.*)$")
_OPERATION = re.compile(r" = torch\.ops\.(?:aten|prims)\.(\w+)\.")
_OWN = re.compile(r"^(?:triton|cpp)_(?:[a-z]+_)?fused_")  # Inductor's kernels
_NAMELESS = re.compile(r"^(?:triton|cpp)_(?:[a-z]+_)?fused_\d+\Z")
_OF_PROGRAM = "triton_kernel_wrapper_"  # the operator that calls a Triton kernel of the program's
_CALLS_KERNEL = "a kernel of the program"
_MOST_PAIRS = 5_000_000  # of a kernel and a line of a graph
_MOST_ROWS = 12  # with the names of kernels in full
_NO_KERNEL = re.compile(r"^(?:assert_|empty_strided|reinterpret_tensor|del\b|print|get_raw_stream$|torch\._C|args\.)")

_Operation = Tuple[str, Optional[SourceLine]]


@dataclass
class Provenance:
    """Collects, while Inductor generates one module, what its kernels are made of.

    Attributes:
        by_kernel: operations by the name of the kernel, as torch says them.
        by_name: operations by the fused part of a kernel's name, one item for each time that the name was made up;
            what there is before torch 2.10.
    """

    by_kernel: dict[str, list[Any]] = field(default_factory=dict)
    by_name: list[tuple[str, list[Any]]] = field(default_factory=list)
    _order: WeakKeyDictionary[Any, dict[int, int]] = field(default_factory=WeakKeyDictionary)

    def made(self, kernel: str, node_schedule: Any) -> None:
        """Inductor writes a call of `kernel`."""
        self.by_kernel.setdefault(kernel, []).extend(_described(operations_behind(node_schedule, self._order)))

    def named(self, fused_name: str, node_schedule: Any) -> None:
        """Inductor has made up the fused part of a kernel's name ("fused_add_mul")."""
        self.by_name.append((fused_name, _described(operations_behind(node_schedule, self._order))))

    def take(self, source: str, graph: Graph | None, cached: str = "") -> list[KernelLine]:
        """The source lines of the kernels which `source`, a generated module, calls, in order; begins a new module.

        For a module out of a cache, `cached` is the text of the graph it was generated from, which names lines too: an
        operation belongs to the kernel that alone has it in its name. Those lines are of the run that filled the cache;
        what is given are this run's lines of the same text, none where there is no such line, or several.
        """
        by_kernel, self.by_kernel = dict(self.by_kernel), {}
        by_name, self.by_name = list(self.by_name), []
        for fused, operations in by_name:
            found = re.findall(rf"^(\w+_{re.escape(fused)}_\d+) = ", source, re.MULTILINE)
            name = next((one for one in found if one not in by_kernel), None)
            if name is not None:
                by_kernel[name] = operations
        by_kernel.update(_from_names(source, cached, graph))
        comments = _from_comments(source, graph)
        for name, operations in comments.items():
            by_kernel.setdefault(name, operations)
        by_kernel = _certain(by_kernel)
        calls = _first_calls(source)
        order = sorted(by_kernel, key=lambda name: calls.get(name, len(source)))
        return [line for name in order for line in _grouped(name, by_kernel[name])]


def kernel_lines_text(lines: list[KernelLine]) -> list[str]:
    """One row of text per line of the program and kernel, in order of lines; those of no line at the end.

    Many rows are put together, one per line of the program, with numbers for the kernels and a legend in front.
    """
    ordered = sorted(lines, key=lambda one: (one.line is None, _place(one.line)))
    if len(ordered) <= _MOST_ROWS:
        return _aligned([(*_where(one), "{}: {}".format(one.kernel, ", ".join(one.operations))) for one in ordered])
    numbers = {kernel: f"k{at}" for at, kernel in enumerate(dict.fromkeys(one.kernel for one in lines))}
    rows: dict[tuple[str, str], list[str]] = {}
    for one in ordered:
        rows.setdefault(_where(one), []).append("{}: {}".format(numbers[one.kernel], ", ".join(one.operations)))
    legend = [f"{number:<4} {kernel}" for kernel, number in numbers.items()]
    return legend + _aligned([(*where, "; ".join(kernels)) for where, kernels in rows.items()])


def _where(one: KernelLine) -> tuple[str, str]:
    if one.line is None:
        return "", "(no line of the program)"
    return one.line.place, one.line.text


def _aligned(rows: list[tuple[str, str, str]]) -> list[str]:
    places = max([len(where) for where, _, _ in rows] or [0])
    widest = max([len(text) for _, text, _ in rows if len(text) < 56] or [0])
    return ["{:<{}}  {:<{}}  -> {}".format(where, places, text, widest, kernel) for where, text, kernel in rows]


def _place(line: SourceLine | None) -> tuple[str, int]:
    return ("", 0) if line is None else (line.filename, line.line)


def _described(nodes: Iterable[Any]) -> list[tuple[str, SourceLine | None]]:
    """Name of the operation and the line of the program of each node: the nodes themselves would keep a graph alive."""
    return [(operation_of(node), user_line_of(node)) for node in nodes]


def operation_of(node: Any) -> str:
    """The operation of an fx node: ``gelu``."""
    aten = node.meta.get("original_aten") or node.target
    packet = getattr(aten, "_overloadpacket", aten)
    return str(getattr(packet, "__name__", None) or packet).rsplit(".", 1)[-1]


def _certain(by_kernel: dict[str, list[_Operation]]) -> dict[str, list[_Operation]]:
    """Each kernel without what other kernels do.

    torch names for a kernel that is not its own, a library's or the program's, the operations of its inputs too, which
    a fused kernel carries out; for a fused one next to a kernel of the program's that one's operation; and for each of
    the kernels that a combination of kernels consists of (their names tell no operation) those of all (2.11).
    """
    fused = {pair for name, pairs in by_kernel.items() if _OWN.match(name) for pair in pairs}
    alike = Counter(tuple(pairs) for name, pairs in by_kernel.items() if _NAMELESS.match(name))
    found: dict[str, list[_Operation]] = {}
    for name, pairs in by_kernel.items():
        if _NAMELESS.match(name) and alike[tuple(pairs)] > 1:
            continue
        if _OWN.match(name):
            found[name] = [pair for pair in pairs if not pair[0].startswith(_OF_PROGRAM)]
            continue
        own = [pair for pair in pairs if pair not in fused or _in_name(pair[0], name)]
        mine = [(_CALLS_KERNEL, line) for operation, line in pairs if operation.startswith(_OF_PROGRAM)]
        found[name] = mine or own or pairs
    return found


def _from_comments(source: str, graph: Graph | None) -> dict[str, list[tuple[str, SourceLine | None]]]:
    """What the comments above calls of library kernels say: the nodes of Dynamo's graph.

    A comment lists the nodes of the kernel's inputs too, which other kernels compute: ``gelu`` above the matrix
    product of its result. The kernel's own operation is the one in its name, else the last in the list.
    """
    by_name = {node.name: node for node in graph.nodes} if graph is not None else {}
    found: dict[str, list[tuple[str, SourceLine | None]]] = {}
    waiting: list[str] = []
    aten: list[str] = []
    for text in source.splitlines():
        comment = _SOURCE_NODES.match(text)
        if comment is not None:
            is_above_call = text[:1].isspace()  # else above the definition of a kernel
            waiting = _listed(comment.group("nodes")) if is_above_call else []
            aten = _listed(comment.group("aten") or "") if is_above_call else []
            aten = [name.rsplit(".", 1)[-1] for name in aten]
            continue
        called = _CALLED.match(text)
        if (waiting or aten) and called is not None and not _NO_KERNEL.match(called.group("name")):
            kernel = called.group("name")
            nodes = [by_name[name] for name in waiting if name in by_name]
            own = [node for node in nodes if _in_name(node.target.rpartition(".")[2], kernel)] or nodes[-1:]
            operation = next((name for name in aten if _in_name(name, kernel)), aten[-1] if aten else "")
            pairs = [(operation or node.name, node.user_line) for node in own] or [(operation or waiting[-1], None)]
            found.setdefault(kernel, []).extend(pairs)
            waiting, aten = [], []
    return found


def _in_name(operation: str, kernel: str) -> bool:
    """``addmm`` is in ``extern_kernels.addmm`` and ``extern_kernels.bias_addmm``, not in ``extern_kernels.mm``."""
    return "_{}_".format(operation.strip("_")) in "_{}_".format(re.sub(r"\W", "_", kernel))


def _listed(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]


def _from_names(
    source: str, graph_text: str, graph: Graph | None
) -> dict[str, list[tuple[str, SourceLine | None]]]:
    here: dict[str, dict[tuple[str, int], SourceLine]] = {}
    for node in graph.nodes if graph is not None else ():
        if node.user_line is not None:
            here.setdefault(node.user_line.text.strip(), {})[_place(node.user_line)] = node.user_line
    found: dict[str, list[tuple[str, SourceLine | None]]] = {}
    kernels = [match.groups() for match in _FUSED.finditer(source)]
    if len(kernels) * graph_text.count("\n") > _MOST_PAIRS:
        return found
    line: SourceLine | None = None
    for text in graph_text.splitlines():
        place, operation = _FILE.match(text), _OPERATION.search(text)
        if place is not None:
            same = list(here.get(place["text"].strip(), {}).values())
            line = same[0] if len(same) == 1 else None
        elif operation is not None:
            named = [kernel for kernel, names in kernels if _in_name(operation.group(1), names)]
            if len(named) == 1:  # several: torch does not say which
                found.setdefault(named[0], []).append((operation.group(1), line))
    return found


def _grouped(kernel: str, operations: list[tuple[str, SourceLine | None]]) -> list[KernelLine]:
    grouped: dict[tuple[str, int], KernelLine] = {}
    for operation, line in operations:
        one = grouped.setdefault(_place(line), KernelLine(kernel, line))
        if operation not in one.operations:
            one.operations.append(operation)
    return list(grouped.values())


def _first_calls(source: str) -> dict[str, int]:
    """Where each name is called first: ``extern_kernels.mm``, the `name` of ``name.run``."""
    found: dict[str, int] = {}
    for match in _CALL.finditer(source, max(source.find("def call("), 0)):
        name = match["name"][:-4] if match["name"].endswith(".run") else match["name"]
        found.setdefault(name, match.start())
    return found
