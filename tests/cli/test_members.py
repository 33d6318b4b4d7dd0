"""``ARCHIVE:MEMBER`` wherever a file is taken, ``--only``, several files on standard output."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from made_archives import pyc, tar_of, zip_of

from depyf.files.members import find_member
from depyf.files.trees import VerificationError

PROGRAM = Path(__file__).parent.parent / "files" / "pyinstaller-v6.pkg"
FIRST = b"def f(x):\n    return x + 1\n"
SECOND = b"def f(x):\n    return x + 2\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    wheel = zip_of([("pkg/m.pyc", pyc(FIRST)), ("pkg/source.py", SECOND), ("n.pyc", pyc(SECOND))])
    (tmp_path / "a.whl").write_bytes(wheel)
    (tmp_path / "outer.tar").write_bytes(tar_of([("in/a.whl", wheel), ("in/m.pyc", pyc(FIRST))]))
    shutil.copy(PROGRAM, tmp_path / "shop")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "target, text",
    [
        ("a.whl:pkg/m.pyc", FIRST), ("a.whl:pkg/m.pyc:f", FIRST), ("a.whl:n.pyc:f", SECOND), ("a.whl:n.pyc", SECOND),
        ("a.whl:pkg/source.py", SECOND), ("a.whl:pkg/source.py:f", SECOND), ("outer.tar:in/m.pyc:f", FIRST),
        ("outer.tar:in/a.whl:n.pyc:f", SECOND), ("./a.whl:n.pyc", SECOND),
    ],
)  # fmt: skip
def test_a_member_is_decompiled(folder, run_depyf, target, text):
    done = run_depyf("decompile", target)
    assert (done.returncode, done.stdout) == (0, text.decode()), done.stderr
    assert run_depyf("disasm", target).returncode == 0


def test_an_absolute_path_with_a_colon(folder, run_depyf):
    (folder / "a:b").mkdir()
    (folder / "a.whl").rename(folder / "a:b" / "c.whl")
    assert run_depyf("decompile", f"{folder}/a:b/c.whl:n.pyc:f").stdout == SECOND.decode()


@pytest.mark.parametrize(
    "words, status, said",
    [
        ("diff a.whl:pkg/m.pyc a.whl:n.pyc", 1, "          return x + 2"),
        ("diff a.whl:n.pyc:f a.whl:pkg/source.py:f", 0, "equal"),
        ("verify a.whl:n.pyc", 2, "a.whl/n.pyc: no source"),
        ("verify shop:PYZ.pyz/shop/prices.pyc", 2, "shop/PYZ.pyz/shop/prices.pyc: no source"),
        ("decompile shop --list --only main*", 0, "  main.pyc"),
        ("decompile a.whl --list --only pkg/*", 0, "  pkg/m.pyc"),
        ("verify a.whl --only n.*", 2, "1 compiled file: 1 no source"),
        ("decompile outer.tar:in/a.whl -o out --only n.pyc", 0, "1 compiled file: 1 written to out"),
    ],
)
def test_other_commands(folder, run_depyf, words, status, said):
    done = run_depyf(*words.split())
    assert done.returncode == status, done
    assert said in done.stdout + done.stderr
    assert "m.pyc" not in done.stdout or "n.*" not in words


def test_members_into_a_folder(folder, run_depyf):
    done = run_depyf("decompile", "a.whl:pkg/m.pyc", "shop:main.pyc:main", "-o", "out")
    assert done.returncode == 0, done.stderr
    assert {path.name for path in (folder / "out").glob("*.py")} == {"m.py", "main.main.py"}


def test_several_files_go_to_standard_output_with_a_header_each(folder, run_depyf):
    done = run_depyf("decompile", "a.whl:n.pyc", "a.whl:pkg/m.pyc")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert [line for line in lines if line.startswith("# a.whl")] == ["# a.whl:n.pyc", "# a.whl:pkg/m.pyc"]
    assert compile(done.stdout, "both", "exec") and done.stdout.count("def f(x):") == 2


def test_what_is_no_member(folder):
    assert find_member("a.py:f") is None and find_member("none.whl:x") is None
    for text in ("a.whl:", "a.whl:none", "a.whl:pkg", "outer.tar:in/a.whl:none"):
        with pytest.raises(VerificationError, match="has no member"):
            find_member(text)
