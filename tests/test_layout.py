"""Rules of the layout that a reader may rely on (see ARCHITECTURE.md)."""

from __future__ import annotations

import ast
import functools
import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
import rooms

PACKAGE = Path(__file__).parent.parent / "src" / "depyf"
MODULES = sorted(PACKAGE.rglob("*.py"))
PACKAGES = sorted(
    name
    for name, path in rooms.modules().items()
    if path.name == "__init__.py" and any(f"{name}.".startswith(f"{half}.") for half in rooms.ROOMS)
)


@functools.lru_cache(None)
def import_graph() -> rooms.Imports:
    """That of the package, made by the first test and not by every process that collects the tests."""
    return rooms.imports()


def lines_matching(pattern: str, modules: list[Path]) -> list[str]:
    return [
        f"{path.relative_to(PACKAGE)}:{number}: {line.strip()}"
        for path in modules
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(pattern, line)
    ]


def importers(room: str, forbidden: str) -> list[str]:
    """Files under ``room`` that import the module ``forbidden`` or something in it, for type checkers at least."""
    found = []
    for name, path in rooms.modules().items():
        if (PACKAGE / room) in path.parents:
            every = {f"{module}.{inside}" for module, inside in rooms.imported(name, path, types_too=True)}
            if any(one.startswith(f"{forbidden}.") for one in every):
                found.append(str(path.relative_to(PACKAGE)))
    return found


def test_the_rules_see_the_package():
    assert len(MODULES) > 20
    assert "depyf.decompiler.driver.stepper" in import_graph()["depyf.cli"]
    assert importers("decompiler", "depyf.decompiler.driver.decompilation") == [
        "decompiler/driver/results.py", "decompiler/driver/texts/authors_layout.py",
        "decompiler/driver/texts/better_spellings.py", "decompiler/driver/unstructured.py", "decompiler/pipeline.py",
    ]  # fmt: skip


def test_figures_and_a_drawing_of_another_source(tmp_path):
    files = {
        "bytecode/__init__.py": "",
        "bytecode/code.py": "from ..flat import x\n",
        "flat.py": "def x(a):\n    if a:\n        return 1\n",
        "lift/__init__.py": "from ..bytecode.code import y\n",
    }
    for name, text in {**files, "../explain/__init__.py": "", "../__init__.py": "", "__init__.py": ""}.items():
        path = tmp_path / "depyf" / "decompiler" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    drawn = rooms.drawing("depyf.decompiler", tmp_path, lines=True).splitlines()
    assert [line.split() for line in drawn] == [
        ["(loose)", "1", "3", "flat"], ["lift", "1", "1", "bytecode"], ["bytecode", "2", "1"],
    ]  # fmt: skip
    found = rooms.figures(tmp_path)
    assert found["modules"] == "7" and found["lines"] == "5" and found["most complex function"] == "2, `x`"
    assert found["modules in import circles"] == "0"
    (tmp_path / "depyf" / "decompiler" / "flat.py").write_text("from .lift import z\n" + files["flat.py"])
    assert rooms.figures(tmp_path)["`depyf.decompiler`: rooms and such modules in import circles"] == "3"


def test_a_circle_and_an_arrow_up_are_seen():
    graph = {"p.low.a": {"p.low.b"}, "p.low.b": set(), "p.high.c": {"p.low.a"}, "p": {"p.high.c"}}
    assert rooms.cycles(graph) == []
    assert rooms.between_parts(graph, "p") == {"low": set(), "high": {"low"}}
    graph["p.low.b"] = {"p.high.d"}
    graph["p.high.d"] = set()
    assert rooms.cycles(graph) == []
    assert rooms.cycles(rooms.between_parts(graph, "p")) == [["high", "low"]]
    graph["p.high.d"] = {"p.high.c"}
    assert rooms.cycles(graph) == [["p.high.c", "p.high.d", "p.low.a", "p.low.b"]]


def test_an_import_in_a_function_counts_and_one_for_type_checkers_does_not(tmp_path):
    path = tmp_path / "module.py"
    path.write_text(
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from .types import A\nelse:\n    from .other import B\n"
        "def f():\n    from ..late import C\n"
    )
    found = set(rooms.imported("p.room.module", path))
    assert found == {("typing", "TYPE_CHECKING"), ("p.room.other", "B"), ("p.late", "C")}
    assert set(rooms.imported("p.room.module", path, types_too=True)) == found | {("p.room.types", "A")}


def test_no_modules_import_each_other():
    assert rooms.cycles(import_graph()) == []


@pytest.mark.parametrize("package", PACKAGES)
def test_no_arrow_goes_up(package: str):
    """In every package, rooms and loose modules can be put in an order in which each imports only what is below."""
    assert rooms.cycles(rooms.between_parts(import_graph(), package)) == []


@pytest.mark.parametrize("half", rooms.ROOMS)
def test_the_rooms_are_in_the_order_that_is_drawn(half: str):
    between = rooms.between_parts(import_graph(), half)
    order = rooms.ROOMS[half]
    folder = PACKAGE / half.partition(".")[2]
    loose = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert set(between) == {*order, *loose}
    for number, room in enumerate(order):
        assert between[room] & set(order) <= set(order[:number]), room


def test_the_rooms_of_the_decompiler_import_no_loose_module():
    """What is loose there is what users import."""
    between = rooms.between_parts(import_graph(), "depyf.decompiler")
    for room in rooms.ROOMS["depyf.decompiler"]:
        assert between[room] <= set(rooms.ROOMS["depyf.decompiler"]), room


@pytest.mark.parametrize("package", PACKAGES)
def test_each_room_has_a_contract(package: str):
    assert ast.get_docstring(ast.parse(rooms.modules()[package].read_text(encoding="utf-8")))


@pytest.mark.parametrize("package", [name for name in PACKAGES if name.startswith("depyf.decompiler.")])
def test_each_room_says_what_it_imports(package: str):
    """In a sentence of its contract; nothing is said where it imports nothing of the decompiler."""
    text = ast.get_docstring(ast.parse(rooms.modules()[package].read_text(encoding="utf-8"))) or ""
    sentences = re.findall(r"Imports ((?:[^.]|\.(?=\w))+)\.(?:\s|$)", text)
    said = {Path(name).stem for sentence in sentences for name in re.findall(r"``([\w/.]+)``", sentence)}
    assert said == rooms.imported_by(import_graph(), package)


def test_python_version_tests_stay_in_bytecode():
    outside = [path for path in MODULES if (PACKAGE / "decompiler" / "bytecode") not in path.parents]
    assert lines_matching(r"sys\.version_info|hexversion", outside) == []


def test_torch_versions_are_never_compared():
    outside = [path for path in MODULES if path.name != "torch_behavior.py"]
    assert lines_matching(r"torch\.__version__|torch\.version", outside) == []


def test_the_decompiler_imports_neither_torch_nor_the_torch_side():
    assert importers("decompiler", "torch") == []
    assert importers("decompiler", "depyf.explain") == []


def test_the_proof_imports_only_bytecode():
    """What it shares with what it checks could be wrong in both."""
    assert rooms.between_parts(import_graph(), "depyf.decompiler")["proof"] == {"bytecode", "limits"}


def test_levels_are_compared_in_the_proof_alone():
    """Elsewhere ``Verdict.exact`` asks whether it is exact at least: identical is exact too."""
    outside = [path for path in MODULES if (PACKAGE / "decompiler" / "proof") not in path.parents]
    assert lines_matching(r"Level\.(EXACT|IDENTICAL)|[!=]= \"exact\"", outside) == []


class Contents(NamedTuple):
    """Of a module the strings that are no documentation, and the names of its classes."""

    strings: set[str]
    classes: list[str]


@functools.lru_cache(None)
def contents(path: Path) -> Contents:
    """Those of a module, whose syntax must be that of the oldest supported Python."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=(3, 8))))
    said = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    strings = (node for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return Contents(
        {node.value for node in strings if id(node) not in said},
        [node.name for node in nodes if isinstance(node, ast.ClassDef)],
    )


def test_dynamos_names_are_in_one_module_of_the_decompiler():
    """But for an assumption that verdicts name: what its exception table is wrong about (bytecode/canonical)."""
    names = re.compile(r"dynamo|compiled_fn|resume_(at|in)_|___stack|graph_out|tmp_", re.IGNORECASE)
    found = {
        str(path.relative_to(PACKAGE / "decompiler")): sorted(filter(names.search, contents(path).strings))
        for path in (PACKAGE / "decompiler").rglob("*.py")
    }
    known = found.pop("names/dynamo.py")
    assert len(known) > 5
    assert {path: texts for path, texts in found.items() if texts} == {
        "bytecode/canonical/two_slots.py": [
            "no exit function of a context manager fails (Dynamo's exception table is wrong there)"
        ]
    }


def test_what_writes_code_is_given_dynamos_words():
    """Who asks knows what made the code; the default for code that nobody knows of is in the settings."""
    assert sorted(name for name in import_graph() if "depyf.decompiler.names.dynamo" in import_graph()[name]) == [
        "depyf.decompiler.driver.settings", "depyf.decompiler.live.objects", "depyf.decompiler.pipeline",
        "depyf.explain.transformed.origin",
    ]  # fmt: skip


def test_modules_are_short():
    long = {str(p.relative_to(PACKAGE)): n for p in MODULES if (n := len(p.read_text().splitlines())) > 500}
    assert long == {}


def test_the_syntax_is_that_of_the_oldest_supported_python():
    for path in MODULES:
        contents(path)


TWO_CLASSES = {
    "Node",  # of a syntax tree, as `ast` has it; of torch's graph in the model, which is public
    "Null",  # the empty slot of a call, in both stack machines
    "Pass",  # the statement, as `ast` has it; a step of the decompiler
}


def test_a_class_name_stands_for_one_thing():
    found = Counter(name for path in MODULES for name in contents(path).classes if not name.startswith("_"))
    assert {name for name, count in found.items() if count > 1} == TWO_CLASSES
