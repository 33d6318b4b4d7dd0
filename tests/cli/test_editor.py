"""editors/vscode: what it takes for granted of the command line. `node --test editors/vscode/` runs the extension."""

from __future__ import annotations

import json
import re
from pathlib import Path

import depyf
from depyf.cli.options import parse
from depyf.cli.verdict_lines import summary, verdicts
from depyf.explain.report.remarks import remark

FOLDER = Path(__file__).parent.parent.parent / "editors" / "vscode"
TEXTS = {path.name: path.read_text(encoding="utf-8") for path in sorted(FOLDER.iterdir())}
MANIFEST = json.loads(TEXTS["package.json"])


def test_it_reads_the_lines_of_verdicts():
    pattern = re.search(r"^const VERDICT = /(.*)/;$", TEXTS["depyf.js"], re.MULTILINE)
    assert pattern
    result = depyf.analyze(compile("class A:\n    def f(self): return [x for x in self]\n", "a.py", "exec"))
    found = [re.fullmatch(pattern[1], line) for line in verdicts(result)]
    assert [match and match.groups() for match in found][:3] == [
        ("identical", "<module>", "1"), ("identical", "A", "1"), ("identical", "A.f", "2"),
    ]  # fmt: skip
    assert all(line.startswith("# ") for line in summary(result))
    refused = result._replace(verdict=result.verdict._replace(reasons=("a reason",)))
    assert verdicts(refused)[1].startswith("   ") and not re.fullmatch(pattern[1], verdicts(refused)[1])


def test_its_commands_are_depyf_s(capsys):
    asked = re.findall(r'run\(command, (\[.*?\])', TEXTS["depyf.js"])
    assert len(asked) == 2
    for words in asked:
        parse(json.loads(re.sub(r"\b(file|folder)\b", '"x.pyc"', words)))


def test_it_knows_the_kinds_of_remarks():
    kinds = MANIFEST["contributes"]["configuration"]["properties"]["depyf.kinds"]["items"]["enum"]
    assert set(kinds) == set(remark.KINDS)


def test_what_it_contributes_is_registered():
    named = {one["command"] for one in MANIFEST["contributes"]["commands"]}
    assert named == set(re.findall(r'registerCommand\("([\w.]+)"', TEXTS["extension.js"]))
    editors = [one["viewType"] for one in MANIFEST["contributes"]["customEditors"]]
    assert editors == re.findall(r'registerCustomEditorProvider\("([\w.]+)"', TEXTS["extension.js"])
    asked = set(re.findall(r'setting\("(\w+)"\)', TEXTS["extension.js"]))
    assert {"depyf." + name for name in asked} == set(MANIFEST["contributes"]["configuration"]["properties"])


def test_a_workspace_names_no_program():
    assert MANIFEST["contributes"]["configuration"]["properties"]["depyf.command"]["scope"] == "machine"


def test_it_is_small():
    assert sum(text.count("\n") for name, text in TEXTS.items() if name != "README.md") < 400
