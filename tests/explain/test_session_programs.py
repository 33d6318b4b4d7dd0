"""Programs of tests/torch_programs in one process, recorded and alone: the same results, exceptions and graphs."""

import json
import os
from pathlib import Path

import pytest
from forks import TORCH

PROGRAMS = Path(__file__).parents[1] / "torch_programs"
NAMES = """
    autocast autograd_function break_and_handler break_in_comprehension break_in_loop break_in_with breaks_in_callees
    buffers_changed checkpointed closure closure_which_is_assigned compiled_autograd conditional_operator
    dataclass_result dynamic_shapes every_kind_of_parameter exception_of_the_user export function_made_inside
    generator_inside hooks item_and_branch lists_and_dicts_changed method recompile stances super_around_breaks threads
    training_steps while_on_data whole_graph whole_graph_refused
""".split()


@pytest.fixture(scope="module", params=["eager", "aot_eager"])
def both(request, tmp_path_factory):
    """Reports by program, alone and recorded, and the directory with a dump per program."""
    dumps = tmp_path_factory.mktemp("programs")
    words = ["--backend", request.param, *NAMES]
    reports = []
    for program in [TORCH.start(PROGRAMS, *words, *options) for options in ([], ["--dump", dumps])]:
        done = program.finish()
        assert done.returncode == 0, done.stderr[-3000:]
        printed = done.stdout.splitlines()  # some programs print too
        lines = [json.loads(line) for line in printed if line.startswith('{"program"')]
        reports.append({line["program"]: line for line in lines if not line["lacks"]})
    return reports[0], reports[1], dumps


@pytest.mark.parametrize("name", NAMES)
def test_the_same_alone_and_recorded(both, name):
    alone, recorded, dumps = both
    assert ("result" in alone[name]) != ("exception" in alone[name])
    for what in ("result", "exception", "graphs"):
        assert recorded[name].get(what) == alone[name].get(what)
    for path in (dumps / name).glob("*.py"):
        compile(path.read_text(encoding="utf-8"), path.name, "exec", dont_inherit=True)
    assert os.path.exists(str(dumps / name / "README.md"))


def test_what_fails_is_named_and_only_code_that_is_not_proven(both):
    _, recorded, _ = both
    failures = [failure for report in recorded.values() for failure in report["failures"]]
    assert [what for what, _ in failures if not what.startswith("replacing ")] == []


def test_most_compilations_run_our_code(both):
    _, recorded, _ = both
    compilations = sum(report["compilations"] for report in recorded.values())
    refused = [failure for report in recorded.values() for failure in report["failures"]]
    assert compilations > 50
    assert sum(report["ours"] for report in recorded.values()) == compilations, refused
