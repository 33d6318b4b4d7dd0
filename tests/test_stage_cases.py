"""What the rooms of the decompiler make of one construct after another: the files in tests/*/cases."""

from __future__ import annotations

import re
from typing import List

import pytest
import stage_cases
from recorded_compilers import compiled, unpacked

from depyf.decompiler.bytecode import read_code
from depyf.decompiler.bytecode.interpreters import find_interpreter
from depyf.decompiler.driver.passes import is_name
from depyf.verification.comparison import differences

ROOMS = {"events": "unstructured", "dispatch": "unstructured"}  # of stages that have not their room's name
CASES: List[stage_cases.StageCase] = [case for path in stage_cases.files() for case in stage_cases.cases_of(path)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_is_held_after_a_pass(case):
    assert stage_cases.held(case, stage_cases.code_of(case)) == case.text


def test_each_case_is_in_the_folder_of_its_room():
    for case in CASES:
        assert is_name(case.stage), case.name
        stage = case.stage.split(":")[0]
        assert ROOMS.get(stage, stage) == case.path.parent.parent.name, case.name


def test_each_file_says_what_it_is_about():
    for path in stage_cases.files():
        page = path.read_text(encoding="utf-8")
        assert re.match(r"# .+\n\n\S", page), path
        sections = re.split(r"^## ", page, flags=re.M)[1:]
        titles = [section.split("\n")[0] for section in sections]
        assert len(set(titles)) == len(titles) == len({case.title for case in CASES if case.path == path}), path


def test_no_code_is_kept_but_that_of_cases():
    for folder in {case.path.parent for case in CASES}:
        used = {(case.version, case.source) for case in CASES if case.path.parent == folder and case.version}
        kept = stage_cases.kept(folder / stage_cases.KEPT)
        assert {(version, source) for version in kept for source in kept[version]} == used


def test_the_code_that_is_kept_is_what_compilers_make():
    here = {case.version for case in CASES if case.version and find_interpreter(_pair(case.version)) is not None}
    assert here, "at least the CPython that runs this must be found"
    for case in CASES:
        if case.version in here:
            version = _pair(case.version)  # marshal marks what is shared, which differs from run to run
            kept, made = (read_code(unpacked(code), version) for code in (
                stage_cases.kept(case.path)[case.version][case.source], compiled(case.source, case.version)
            ))  # fmt: skip
            assert differences(kept, made) == []


def _pair(version: str):
    major, minor = version.split(".")
    return int(major), int(minor)
