"""The list of tests that only `make check` runs: each line names some, and every folder of tests keeps quick ones."""

from __future__ import annotations

import functools
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def lines_of(name: str) -> list[str]:
    """Those of a list in the folder of the tests that are no comments."""
    lines = (ROOT / "tests" / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


LINES = lines_of("slow_tests.txt")


class _Collected:
    """A plugin of pytest that prints what it collects, and whether that is slow."""

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            print("slow" if item.get_closest_marker("slow") else "quick", item.nodeid)


def collected(files: list[str]) -> list[tuple[str, str]]:
    """The tests of ``files`` as pytest sorts them: slow or quick, and the node id."""
    command = [sys.executable, __file__, "--collect-only", "-qq", "-p", "no:cacheprovider", *files]
    found = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    lines = [line.partition(" ") for line in found.splitlines()]
    return [(speed, node) for speed, _, node in lines if speed in ("quick", "slow")]


@functools.lru_cache(None)
def node_ids() -> dict[str, list[str]]:
    """Of the files with slow tests, the quick ones and the slow ones."""
    found = collected(sorted({line.split("::")[0] for line in LINES}))
    return {speed: [node for word, node in found if word == speed] for speed in ("quick", "slow")}


def test_every_line_names_tests_and_every_folder_keeps_quick_ones():
    slow = node_ids()["slow"]
    patterns = {line: re.compile(".*".join(map(re.escape, line.split("*")))) for line in LINES}
    assert [line for line, pattern in patterns.items() if not any(map(pattern.match, slow))] == []
    assert [node for node in slow if not any(pattern.match(node) for pattern in patterns.values())] == []
    folders = {Path(line.split("::")[0]).parent for line in LINES}
    assert {Path(node.split("::")[0]).parent for node in node_ids()["quick"]} == folders


def test_a_variant_is_a_slow_test_of_a_file_with_others():
    slow = node_ids()["slow"]
    patterns = {line: re.compile(".*".join(map(re.escape, line.split("*")))) for line in lines_of("variants.txt")}
    assert [line for line, pattern in patterns.items() if not any(map(pattern.match, slow))] == []
    kept = [node for node in slow if not any(pattern.match(node) for pattern in patterns.values())]
    kept += node_ids()["quick"]
    assert {line.split("::")[0] for line in patterns} <= {node.split("::")[0] for node in kept}


def test_quick_tests_record_with_and_without_inductor():
    """The toy with Inductor, without gradients; other programs in eager mode."""
    quick = node_ids()["quick"]
    toy = [node for node in quick if "test_session_toy.py::test_computes" in node]
    assert {node.split("[")[1] for node in toy} == {"inductor-no_grad]"}
    assert any("test_session_programs.py::test_the_same_alone_and_recorded[eager-" in node for node in quick)


def test_long_files_are_collected_first():
    """What has few tests and takes long would be left to one process at the end."""
    long = lines_of("long_files.txt")
    assert [name for name in long if not (ROOT / name).is_file()] == []
    other = "tests/decompiler/test_budget.py"
    found = collected([other, *long[1::-1]])
    assert list(dict.fromkeys(node.split("::")[0] for _, node in found)) == [*long[:2], other]


if __name__ == "__main__":
    sys.exit(pytest.main(sys.argv[1:], plugins=[_Collected()]))
