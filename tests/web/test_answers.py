"""What the page of web/ shows: `node --test web/` tests what it draws, benchmarks/web uses it in a browser."""

from __future__ import annotations

import json
import py_compile
import re
import zipfile
from pathlib import Path

import pytest

import answers
import build
from depyf.decompiler.bytecode.interpreters import HOST_VERSION
from depyf.decompiler.bytecode.versions import TABLES

WEB = Path(answers.__file__).parent
SOURCE = '''import os


class Shape:
    """A shape."""

    def names(self, x):
        return [y for y in x if (lambda: y)]


twice = lambda q: 2 * q("""a
b""")
'''


@pytest.fixture
def compiled(tmp_path):
    """A compiled file, and its source in another folder."""
    (tmp_path / "source").mkdir()
    source = tmp_path / "source" / "shape.py"
    source.write_text(SOURCE)
    return Path(py_compile.compile(str(source), str(tmp_path / "shape.pyc"), dfile="shape.py")), source


def ask(do, file, **more):
    found = json.loads(answers.answer(json.dumps({"do": do, "file": str(file), "layout": "author", **more})))
    assert "error" not in found, found
    return found


def test_code_objects_begin_where_their_text_does(compiled):
    found = ask("decompile", compiled[0])
    assert found["text"] == SOURCE
    assert found["proven"] and found["python"] == "{}.{}".format(*HOST_VERSION)
    rows = {unit["name"]: unit["row"] for unit in found["units"]}
    inner = {name: row for name, row in rows.items() if name.startswith("Shape.names.<locals>")}
    assert {**rows, **inner} == {"<module>": 1, "Shape": 4, "Shape.names": 7, "<lambda>": 11, **dict.fromkeys(inner, 8)}
    assert {unit["level"] for unit in found["units"]} <= {"identical", "exact"}


def test_the_pieces_of_a_line_are_the_line(compiled):
    found = ask("decompile", compiled[0])
    assert ["".join(text for text, _ in line) for line in found["source"]] == SOURCE.splitlines()
    assert ["class", "k"] in found["source"][3] and ['b"""', "s"] in found["source"][11]


def test_both_layouts(compiled):
    assert ask("decompile", compiled[0], layout="compact")["text"] != SOURCE


def test_instructions_are_linked_to_lines(compiled):
    (module, *inner) = ask("disassemble", compiled[0])["codes"]
    assert {row[0] for row in module["rows"]} >= {1, 4, 11}
    assert any("IMPORT_NAME 'os'" in row[3] for row in module["rows"])
    assert "Shape" in [one["name"] for one in inner]


def test_edges_lead_to_blocks(compiled):
    for code in ask("graph", compiled[0])["codes"]:
        starts = [start for start, _, _ in code["blocks"]]
        assert starts and all(to in starts for _, _, edges in code["blocks"] for _, to in edges)


def test_the_stages_in_order(compiled):
    names = [name for name, _ in ask("steps", compiled[0])["stages"]]
    assert names[:3] == ["load", "disassemble", "flowgraph"] and names[-1] == "prove"


def test_a_file_is_verified_against_its_source(compiled):
    file, source = compiled
    for one, other in ((file, source), (source, file)):
        found = ask("compare", one, other=str(other))
        assert found["equal"] and "verified" in found["how"]
    source.write_text(SOURCE.replace("2 *", "3 *"))
    found = ask("compare", file, other=str(source))
    assert not found["equal"] and any("3 *" in line for line in found["lines"])


def test_two_files_are_compared_in_statements(compiled, tmp_path):
    file, source = compiled
    source.write_text(SOURCE.replace("names", "titles"))
    other = py_compile.compile(str(source), str(tmp_path / "other.pyc"), dfile="shape.py")
    found = ask("compare", file, other=other)
    assert not found["equal"] and any(re.search("removed .*names", line) for line in found["lines"])
    assert ask("compare", file, other=str(file))["equal"]


def test_a_member_of_an_archive(compiled, tmp_path):
    file, source = compiled
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.write(file, "a/shape.pyc")
        archive.write(source, "a/shape.py")
        archive.writestr("a/notes.txt", "")
    assert ask("open", file)["archive"] is None
    found = ask("open", tmp_path / "all.zip")
    assert found["members"] == ["a/shape.pyc", "a/shape.py"]
    ask("member", tmp_path / "all.zip", member="a/shape.pyc", to=str(tmp_path / "member"))
    assert (tmp_path / "member").read_bytes() == file.read_bytes()


def test_a_log_of_torch_trace_is_a_report():
    ((name, page),) = ask("report", WEB.parent / "tests" / "cases" / "reports" / "trace.log")["pages"]
    assert name == "" and "What torch.compile did" in page and "data-dependent branching" in page


def test_an_error_is_an_answer(tmp_path):
    (tmp_path / "bad.py").write_text("def f(:\n")
    (tmp_path / "bad.pyc").write_bytes(b"\x55\x0d\r\n" + bytes(20))
    for name in ("bad.py", "bad.pyc", "missing"):
        asked = {"do": "decompile", "file": str(tmp_path / name), "layout": "author"}
        assert "internal" not in json.loads(answers.answer(json.dumps(asked)))["error"]


def test_every_version_of_the_page_is_one_that_depyf_runs_on():
    versions = [tuple(map(int, version.split("."))) for version in build.PYODIDES]
    assert versions == sorted(versions) and set(versions) <= set(TABLES)
    magic = build.known_versions()
    assert magic["3.8"] == [3413] and 3495 in magic["3.11"]
    numbers = [number for known in magic.values() for number in known]
    assert len(numbers) == len(set(numbers))


def test_the_files_of_the_page_are_those_that_it_loads():
    """Each import, and each file that the page names, is copied by the build, and no other host is named."""
    texts = {name: (WEB / name).read_text(encoding="utf-8") for name in build.PAGE}
    assert "default-src 'none'" in texts["index.html"] and "unsafe-inline" not in texts["index.html"]
    for name, text in texts.items():
        assert set(re.findall(r'from "\./([\w.]+)"|(?:src|href)="([\w.]+)"', text)) <= {
            *((one, "") for one in build.PAGE), *(("", one) for one in build.PAGE)
        }  # fmt: skip
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text), name
        if name == "report.html":  # has the report's script, whose hash is the only one that the report allows
            continue
        assert "innerHTML" not in text and " style=" not in text and "onclick=" not in text, name
