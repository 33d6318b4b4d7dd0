"""The recorded answers of other versions' compilers, which stand in for them on machines without."""

from __future__ import annotations

import json
import re

from recorded_compilers import FILENAME, FOLDER, RecordedCompilers, found_or_recorded, recorded_code

REQUEST = {"filename": FILENAME, "flags": 0, "optimize": 0, "unit": None}


def test_every_case_has_the_code_that_its_versions_made_of_its_text():
    for path in FOLDER.glob("*.json"):
        case = json.loads(path.read_text(encoding="utf-8"))
        for text in case["codes"]:
            version = tuple(map(int, text.split(".")))
            raw = recorded_code(path.stem, version)
            assert (raw.version, raw.name, raw.filename) == (version, "<module>", FILENAME)
            names = [nested.name.replace("<generic parameters of f>", "f") for nested in raw.nested]
            assert names == re.findall(r"^(?:def|class) (\w+)", case["source"], re.MULTILINE)
            kind, answer = RecordedCompilers().compile({**REQUEST, "source": case["source"]}, version)
            assert kind == "code" and isinstance(answer, bytes)


def test_a_text_that_is_not_recorded_is_an_error():
    kind, answer = RecordedCompilers().compile({**REQUEST, "source": "never_recorded\n"}, (3, 14))
    assert kind == "error" and "never_recorded" in answer


def test_each_version_is_tested_by_its_recorded_compiler_whether_it_is_here_or_not():
    assert [version for version, recorded in found_or_recorded([(3, 8), (3, 99)]) if recorded] == [(3, 8), (3, 99)]
