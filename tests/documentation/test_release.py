"""What a release needs: one version everywhere, links that work on a package's page, fragments that are collected."""

from __future__ import annotations

import re
import runpy
import shutil
from pathlib import Path

import depyf

ROOT = Path(__file__).parent.parent.parent
KINDS = {"added", "changed", "deprecated", "removed", "fixed", "security"}


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_version_is_one():
    assert f'\nversion = "{depyf.__version__}"\n' in text_of("pyproject.toml")
    assert f"\nversion: {depyf.__version__}\n" in text_of("CITATION.cff")
    assert f"\n## {depyf.__version__}" in text_of("CHANGELOG.md")


def test_every_python_that_is_a_host_is_a_classifier():
    from depyf.decompiler.bytecode.versions import HOSTS

    found = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', text_of("pyproject.toml"))
    assert found == ["{}.{}".format(*version) for version in sorted(HOSTS)]


def test_every_fragment_is_of_a_kind_that_is_collected():
    """Towncrier passes over files whose kind it does not know, or ends with an error."""
    listed = set(re.findall(r'^    \{ directory = "(\w+)"', text_of("pyproject.toml"), re.MULTILINE))
    assert listed == KINDS
    names = {path.name for path in (ROOT / "changelog.d").iterdir()} - {"README.md", "template.md"}
    assert [name for name in names if not re.fullmatch(r"[\w.-]+\.({})\.md".format("|".join(KINDS)), name)] == []


def test_links_of_the_readme_work_on_the_page_of_the_package(tmp_path):
    for name in ("README.md", "pyproject.toml", "CITATION.cff"):
        shutil.copy(str(ROOT / name), str(tmp_path))
    release = runpy.run_path(str(ROOT / ".github" / "prepare_release.py"))
    release["main"]("someone/depyf", "v1.0", tmp_path)
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"(!?)\[[^\]]*\]\(([^)]+)\)", text)
    assert len(links) > 10 and [link for _, link in links if not re.match(r"https?://", link)] == []
    pictures = [link for is_picture, link in links if is_picture]
    assert pictures and all("/raw/v1.0/" in link for link in pictures)
    assert "https://github.com/someone/depyf/blob/v1.0/docs/index.md" in text
    for path in tmp_path.iterdir():
        assert release["PLACEHOLDER"] not in path.read_text(encoding="utf-8")


def test_issues_ask_for_what_doctor_says():
    forms = [path for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml"]
    assert forms and all("depyf doctor" in path.read_text(encoding="utf-8") for path in forms)
