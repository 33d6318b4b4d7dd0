"""Every block of code in the README and the documentation is true: `pages.py` runs them, in one process."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
sys.path.append(str(HERE))

from blocks import blocks_of  # noqa: E402
from commands import wrong_with  # noqa: E402
from pages import PAGES, Page  # noqa: E402

NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]


@pytest.fixture(scope="module")
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Dict[str, Any]:
    """What `pages.py` says of the pages whose tests run."""
    folder = tmp_path_factory.mktemp("inductor")
    calls = [getattr(item, "callspec", None) for item in request.session.items]
    pages = [str(ROOT / call.params["name"]) for call in calls if call and call.params.get("name") in NAMES]
    done = subprocess.run(
        [sys.executable, str(HERE / "pages.py"), "--json", *pages],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(folder)},
    )
    return dict(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_true(name: str, found: Dict[str, Any]) -> None:
    assert found[name]["errors"] == [], "python tests/documentation/pages.py --write {} helps".format(name)


def run(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Page:
    path = folder / "page.md"
    path.write_text(text, encoding="utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    page = Page(path, folder)
    page.run()
    return page


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("```python\nassert 1 == 2\n```\n", "AssertionError"),
        ("```pycon\n>>> 1 + 1\n3\n```\n", "Expected:"),
        ("```console\n$ echo one\ntwo\n```\n", "this comes out"),
        ("<!-- shown: 1 + 1 -->\n```\n3\n```\n", "this comes out"),
        ("```sh\nno-such-program --help\n```\n", "no program"),
        ("```sh\npython -m depyf decompile --no-such-option x.py\n```\n", "unrecognized arguments"),
        ("```sh\nmake no-such-target\n```\n", "no target"),
        ("```sh\npip install 'depyf-proven[no-such-extra]'\n```\n", "no extra"),
        ("```sh\npython benchmarks/measure/roundtrip.py --no-such-option\n```\n", "no option"),
        ("<!-- check: 1 + 1 == 3 -->\n", "not true"),
        ("```\nx\n```\n", "has a language"),
        ("words\n\n    x = 1\n", "has a language"),
        ("<!-- no such measurement -->\n```\nx\n```\n<!-- /no such measurement -->\n", "nothing in benchmarks/"),
    ],
)
def test_a_wrong_block_is_found(text, error, tmp_path, monkeypatch):
    (found,) = run(text, tmp_path, monkeypatch).errors
    assert error in found


def test_blocks_of_a_page_share_their_names_and_files(tmp_path, monkeypatch):
    text = (
        "```{code-block} python\n:caption: one.py\n\nx = 6\n```\n\n"
        "1.  item\n\n    ```python\n    print(x * 7)\n    ```\n\n"
        "<!-- shown: printed -->\n```\n42\n```\n\n```pycon\n>>> x\n6\n```\n\n"
        "```sh\npython one.py\n```\n\n```console\n$ cat one.py\nx = 6\n```\n"
    )
    assert run(text, tmp_path, monkeypatch).errors == []


def test_what_comes_out_is_written_into_the_page(tmp_path, monkeypatch):
    text = "before\n\n<!-- shown: 'a\\nb' -->\n```\nold\n```\n\n* item\n\n    ```console\n    $ echo new\n    ```\n"
    new = run(text, tmp_path, monkeypatch).write()
    assert new == text.replace("old", "a\nb").replace("$ echo new\n", "$ echo new\n    new\n")
    assert run(new, tmp_path, monkeypatch).errors == []


def test_a_page_tells_its_blocks_apart():
    page = "* item\n\n    of the item\n\n```sh\nx\n```\n\ntext\n\n    indented\n\n    too\n"
    assert [(block.line, block.language) for block in blocks_of(page)] == [(6, "sh"), (11, "indented")]


def test_commands_are_checked_in_the_page_s_folder(tmp_path):
    (tmp_path / "mine.py").write_text("")
    assert wrong_with("python mine.py  # runs it", tmp_path) == ""
    assert "no file" in wrong_with("python other.py", tmp_path)


_DOTTED = re.compile(r"(?<![\w./])depyf(?:\.[A-Za-z]\w*)+")


def test_names_in_the_pages_are_there_after_import_depyf():
    """Elsewhere a page runs in one process, where an earlier block may have imported what a later one needs."""
    texts = [block.text for page in PAGES for block in blocks_of(page.read_text(encoding="utf-8"))]
    texts += [code for page in PAGES for code in re.findall(r"`([^`\n]+)`", page.read_text(encoding="utf-8"))]
    names = {name for text in texts for name in _DOTTED.findall(text) if not name.endswith(".py")}
    assert "depyf.explain.dump_src" in names
    started = {
        name: subprocess.Popen(
            [sys.executable, "-c", "import depyf; {}".format(name)], stderr=subprocess.PIPE, text=True, cwd=str(HERE)
        )
        for name in sorted(names)
    }
    errors = {name: process.communicate()[1] for name, process in started.items()}
    assert {name: error for name, error in errors.items() if started[name].returncode} == {}


LINKED = [*PAGES, *(ROOT / name for name in ("CHANGELOG.md", "SECURITY.md", "benchmarks/README.md"))]


@pytest.mark.parametrize("page", LINKED, ids=[page.relative_to(ROOT).as_posix() for page in LINKED])
def test_links_lead_somewhere(page: Path):
    """Files, and headings in them, as the site and code hosts name these."""
    text = re.sub(r"^ *```.*?^ *```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    wrong = []
    for link in re.findall(r"\]\((?!\w+:)([^)\s]+)\)", text):
        name, _, heading = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists() or (heading and heading not in headings(target.read_text(encoding="utf-8"))):
            wrong.append(link)
    assert wrong == []


def headings(text: str) -> list[str]:
    """The names by which links find the headings of a page."""
    texts = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return [re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in texts]


MOST_WORDS = 25_000
PAGES_OF_THE_SITE = sorted((ROOT / "docs").rglob("*.md"))


def test_the_site_can_be_read():
    """Words of all pages, code and tables included. What is measured belongs into benchmarks/results."""
    texts = {page.name: re.sub(r"<!--.*?-->", "", page.read_text(encoding="utf-8")) for page in PAGES_OF_THE_SITE}
    words = {name: len(re.findall(r"\S*\w\S*", text)) for name, text in texts.items()}
    assert sum(words.values()) <= MOST_WORDS, sorted(words.items(), key=lambda item: -item[1])[:10]


def test_nothing_is_said_twice():
    """No sentence of fifteen words or more, code aside."""
    places: dict[str, list[str]] = {}
    for page in [*PAGES_OF_THE_SITE, *(ROOT / name for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"))]:
        text = re.sub(r"^ *(```|~~~).*?^ *\1$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for sentence in re.split(r"(?<=[.:?!])\s+|\n\n|\s\|\s", re.sub(r"<!--.*?-->", "\n\n", text, flags=re.DOTALL)):
            if len(sentence.split()) >= 15:
                places.setdefault(" ".join(sentence.split()), []).append(page.name)
    assert {sentence: pages for sentence, pages in places.items() if len(pages) > 1} == {}
