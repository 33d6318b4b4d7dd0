"""A wheel beside an sdist, a checkout, another wheel: Python files by what they compile to; and nothing checked."""

from __future__ import annotations

import base64
import hashlib
import json

import pytest
from made_archives import pyc, tar_of, zip_of

import depyf
from depyf.verification.python_files import compare_files
from depyf.verification.report import NOTHING, Status
from depyf.verification.sources import roots

FILES = {
    "pkg/__init__.py": "",
    "pkg/same.py": "x = 1\n",
    "pkg/layout.py": "def f(x):\n    # why\n    return [x,\n            1]\n",
    "pkg/other.py": "def g(x):\n    return x + 1\n",
}
CHANGED = {
    **FILES, "pkg/layout.py": 'def f(x):\n\n    return [x, 1]  # 1\n', "pkg/other.py": "def g(x):\n    return x + 2\n",
}  # fmt: skip


def wheel(files, record=lambda rows: rows):
    rows = []
    for name, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(text)}")
    rows.append("pkg-1.dist-info/RECORD,,")
    members = [*files.items(), ("pkg-1.dist-info/RECORD", "\n".join(record(rows)))]
    return zip_of([(name, text.encode()) for name, text in members])


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "pkg-1-py3-none-any.whl").write_bytes(wheel(FILES))
    return tmp_path


def checkout(folder, files, below):
    for name, text in files.items():
        path = folder / "tree" / below / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "tree"


def statuses(report):
    return {one.path.replace("\\", "/").rpartition(".whl/")[2]: one.status for one in report.files}


EXPECTED = {
    "pkg/__init__.py": Status.IDENTICAL, "pkg/same.py": Status.IDENTICAL, "pkg/layout.py": Status.OTHER_LINES,
    "pkg/other.py": Status.DIFFERS, "pkg-1.dist-info/RECORD": Status.IDENTICAL,
}  # fmt: skip


@pytest.mark.parametrize("below", ["", "src", "lib/python"])
def test_a_checkout(folder, below):
    tree = checkout(folder, CHANGED, below)
    checkout(folder, FILES, ".venv/lib/site-packages")
    checkout(folder, FILES, "build/lib")
    report = depyf.verify_tree(folder / "pkg-1-py3-none-any.whl", tree)
    assert statuses(report) == EXPECTED and report.exit_status == 1
    [change] = next(one.changes for one in report.files if one.status is Status.DIFFERS)
    assert (change.where, change.lines, change.source_lines) == ("g", ("    return x + 1",), ("    return x + 2",))


def test_an_sdist_and_another_wheel(folder):
    members = [(f"pkg-1/src/{name}", text.encode()) for name, text in CHANGED.items()]
    (folder / "pkg-1.tar.gz").write_bytes(tar_of([*members, ("pkg-1/setup.py", b"1\n")]))
    (folder / "b.whl").write_bytes(wheel(CHANGED))
    for source in ("pkg-1.tar.gz", "b.whl"):
        assert statuses(depyf.verify_tree(folder / "pkg-1-py3-none-any.whl", folder / source)) == EXPECTED, source


def test_files_that_one_has(folder):
    tree = checkout(folder, {**FILES, "pkg/forgotten.py": "1\n", "tests/test_m.py": "1\n", "setup.py": "1\n"}, "")
    (tree / "pkg" / "same.py").unlink()
    report = depyf.verify_tree(folder / "pkg-1-py3-none-any.whl", tree)
    assert statuses(report)["pkg/same.py"] is Status.NO_SOURCE and report.exit_status == 2
    assert [one.path.rpartition("/")[2] for one in report.not_looked_at] == ["forgotten.py"]


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda rows: rows[1:], "pkg/__init__.py is not listed"),
        (lambda rows: [*rows, "pkg/gone.py,sha256=x,1"], "pkg/gone.py is listed, and is not there"),
        (lambda rows: [rows[0].replace("sha256=", "sha256=A"), *rows[1:]], "has another sha256"),
        (lambda rows: [rows[0].replace(",0", ",7"), *rows[1:]], "has 0 bytes, and is listed with 7"),
        (lambda rows: ["pkg/__init__.py,,", *rows[1:]], "no hash that counts"),
        (lambda rows: [rows[0].replace("sha256", "md5"), *rows[1:]], "no hash that counts"),
        (lambda rows: [rows[0], *rows], "is listed 2 times"),
    ],
)
def test_record(folder, change, said):
    (folder / "pkg-1-py3-none-any.whl").write_bytes(wheel(FILES, change))
    report = depyf.verify_tree(folder / "pkg-1-py3-none-any.whl", checkout(folder, FILES, ""))
    [one] = [one for one in report.files if one.kind == "RECORD"]
    assert one.status is Status.DIFFERS and said in one.reasons[0]


def test_compiled_files_of_a_wheel_with_a_checkout(folder):
    """The sources of a wheel's compiled files are looked for where its packages are."""
    tree = checkout(folder, {"pkg/__init__.py": "", "pkg/m.py": "x = 1\n"}, "src")
    members = [("pkg/__init__.py", b""), ("pkg/m.pyc", pyc(b"x = 1\n")), ("pkg/n.pyc", pyc(b"x = 2\n"))]
    (folder / "c.whl").write_bytes(zip_of(members))
    found = statuses(depyf.verify_tree(folder / "c.whl", tree))
    assert found["pkg/m.pyc"] is Status.IDENTICAL and found["pkg/n.pyc"] is Status.NO_SOURCE


@pytest.mark.parametrize(
    "one, other, status",
    [
        ("x = 1", "x=1 # c", Status.OTHER_LINES), ("x = 1", "x = 2", Status.DIFFERS),
        ("x = 1", "x = 1.0", Status.DIFFERS),
        ("def f():\n '''a'''", "def f():\n '''b'''", Status.DIFFERS), ("x = (", "x = 1", Status.NOT_CHECKED),
        ("def f(x):\n y: int = x", "def f(x):\n y: str = x", Status.OTHER_LINES),
        ("if x:\n  y = 1\nelse:\n  y = 2", "if not x:\n  y = 2\nelse:\n  y = 1", Status.PROVEN),
        ("x = 'a' 'b'", "x = 'ab'", Status.OTHER_LINES), ("assert x", "", Status.DIFFERS),
    ],
)  # fmt: skip
def test_by_meaning(one, other, status):
    report = compare_files("a/m.py", "b/m.py", one.encode(), other.encode())
    assert report.status is status


def test_wheels_beside_each_other(folder, run_depyf):
    (folder / "b.whl").write_bytes(wheel({**CHANGED, "pkg/new.py": "1\n", "pkg/data.txt": "2"}))
    done = run_depyf("diff", "pkg-1-py3-none-any.whl", "b.whl")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[:2] == ["only in b.whl: pkg/data.txt", "only in b.whl: pkg/new.py"]
    assert lines[-1] == "4 Python files: 2 identical, 1 differs, 1 same but for comments and layout"
    assert "    in b.whl/pkg/other.py, line 2:" in lines
    done = run_depyf("diff", "b.whl", "b.whl")
    assert (done.returncode, done.stdout) == (0, "5 Python files: 5 identical; 1 other file: 1 identical\n")


def test_nothing_checked_has_a_status_of_its_own(folder, run_depyf):
    done = run_depyf("verify", "pkg-1-py3-none-any.whl")
    assert done.returncode == NOTHING == 3
    assert done.stdout.startswith("nothing was checked: no compiled files in pkg-1-py3-none-any.whl; --source TREE ")
    assert json.loads(run_depyf("verify", "--json", "pkg-1-py3-none-any.whl").stdout)["exit_status"] == NOTHING
    assert depyf.verify_tree(folder / "pkg-1-py3-none-any.whl").exit_status == NOTHING
    (folder / "x.whl").write_bytes(zip_of([("m.py", b"x = 1\n"), ("m.pyc", pyc(b"x = 1\n"))]))
    both = "pkg-1-py3-none-any.whl", "x.whl"
    assert run_depyf("verify", *both).returncode == 0
    done = run_depyf("verify", "--require", *both)
    assert done.returncode == NOTHING and "nothing was checked: no compiled files in pkg-1" in done.stdout


def test_where_the_packages_are():
    assert roots(["p/a.py", "q.py"], ["x/src/p/a.py", "x/q.py", "x/.tox/p/a.py"]) == {"p": "x/src/", "q.py": "x/"}
    assert roots(["p/a.py", "p/b.py"], ["build/p/a.py", "build/p/b.py", "s/p/a.py"]) == {"p": "s/"}
    assert roots(["p/a.py"], ["deep/pp/a.py"]) == {}
