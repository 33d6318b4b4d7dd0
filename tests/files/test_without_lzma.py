"""A Python that was built without liblzma, as Pyodide's is: what needs it says so, and the rest is read."""

from __future__ import annotations

import lzma
import subprocess
import sys
import tarfile
import textwrap
import zipfile

PROGRAM = """
    import sys
    sys.modules["lzma"] = None
    from depyf.files import Problem, VerificationError, open_tree

    tree = open_tree("both.zip")
    assert list(tree.compiled()) == ["packed.pyc", "plain.pyc"]
    assert tree.read("plain.pyc") == b"plain"
    try:
        tree.read("packed.pyc")
    except Problem as error:
        print(error)
    try:
        open_tree("one.tar.xz")
    except VerificationError as error:
        print(error)
"""


def test_what_needs_lzma_says_so(tmp_path):
    with zipfile.ZipFile(tmp_path / "both.zip", "w") as archive:
        archive.writestr("plain.pyc", b"plain", zipfile.ZIP_DEFLATED)
        archive.writestr("packed.pyc", b"packed", zipfile.ZIP_LZMA)
    with tarfile.open(tmp_path / "one.tar", "w"):
        pass
    (tmp_path / "one.tar.xz").write_bytes(lzma.compress((tmp_path / "one.tar").read_bytes()))
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PROGRAM)], cwd=str(tmp_path), capture_output=True, encoding="utf-8"
    )
    reasons = done.stdout.splitlines()
    assert len(reasons) == 2 and all("LZMA, which this Python was built without" in one for one in reasons), done
