"""Rules of the layout that a reader may rely on (see ARCHITECTURE.md)."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Iterator

PACKAGE = Path(__file__).parent.parent / "src" / "depyf"
MODULES = sorted(PACKAGE.rglob("*.py"))


def lines_matching(pattern: str, modules: list[Path]) -> list[str]:
    return [
        f"{path.relative_to(PACKAGE)}:{number}: {line.strip()}"
        for path in modules
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(pattern, line)
    ]


def imported(path: Path) -> Iterator[str]:
    """Absolute names of the modules that the file imports, its own package's included."""
    package = ["depyf", *path.relative_to(PACKAGE).with_suffix("").parts][:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join(base + ([node.module] if node.module else []))
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def importers(room: str, forbidden: str) -> list[str]:
    """Files under ``room`` that import the module ``forbidden`` or something in it."""
    return [
        str(path.relative_to(PACKAGE))
        for path in MODULES
        if (PACKAGE / room) in path.parents
        and any(name == forbidden or name.startswith(f"{forbidden}.") for name in imported(path))
    ]


def test_the_rules_see_the_package():
    assert len(MODULES) > 20
    assert "depyf.decompiler.driver.stepper" in set(imported(PACKAGE / "cli.py"))


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
    for room in ("flowgraph", "lift", "structure"):
        assert importers("decompiler/proof", f"depyf.decompiler.{room}") == []


def test_levels_are_compared_in_the_proof_alone():
    """Elsewhere ``Verdict.exact`` asks whether it is exact at least: identical is exact too."""
    outside = [path for path in MODULES if (PACKAGE / "decompiler" / "proof") not in path.parents]
    assert lines_matching(r"Level\.(EXACT|IDENTICAL)|[!=]= \"exact\"", outside) == []


def test_modules_are_short():
    long = {str(p.relative_to(PACKAGE)): n for p in MODULES if (n := len(p.read_text().splitlines())) > 500}
    assert long == {}


def test_the_syntax_is_that_of_the_oldest_supported_python():
    for path in MODULES:
        ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=(3, 8))
