"""The HTML forms of the model: whole, escaped, linked within themselves, and in need of nothing else."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

import pytest
import torch

from depyf.explain import inspect, interactive_explain
from depyf.explain.model import CacheEntry, Decompiled, Frame, Graph, Guard, Kernel, Session
from depyf.explain.report.html.highlight import code_html

_VOID = {"meta", "br"}


class Reader(HTMLParser):
    """Tags in balance, ids, links, and the text that a reader sees, by the `details` around it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: List[str] = []
        self.ids: List[str] = []
        self.targets: Set[str] = set()
        self.tags: Set[str] = set()
        self.attributes: Set[str] = set()
        self.text: List[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: List[Tuple[str, Optional[str]]]) -> None:
        found: Dict[str, Optional[str]] = dict(attrs)
        self.tags.add(tag)
        self.attributes.update(found)
        if "id" in found:
            self.ids.append(str(found["id"]))
        if "href" in found:
            self.targets.add(str(found["href"]))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text.append(data)

    @property
    def shown(self) -> str:
        return "".join(self.text)


def toy_example(a: Any, b: Any) -> Any:
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


@pytest.fixture(scope="module")
def toy() -> Iterator[Session]:
    torch._dynamo.reset()
    compiled = torch.compile(toy_example, backend="eager")
    for sign in (1, -1):
        compiled(torch.randn(10), sign * torch.rand(10))
    yield inspect(compiled)
    torch._dynamo.reset()


def needs_nothing(reader: Reader) -> bool:
    assert "script" not in reader.tags and "link" not in reader.tags and "img" not in reader.tags
    assert not {name for name in reader.attributes if name.startswith("on") or name == "src"}
    assert len(reader.ids) == len(set(reader.ids))
    assert reader.targets and all(target[0] == "#" and target[1:] in reader.ids for target in reader.targets)
    return True


def test_a_file(toy: Session, tmp_path: Path) -> None:
    path = tmp_path / "toy.html"
    text = toy.to_html(path)
    assert path.read_text(encoding="utf-8") == text == toy.to_html()
    assert text.startswith("<!doctype html>")
    reader = Reader(text)
    assert needs_nothing(reader)
    assert "http" not in re.sub(r"https?:", "http", text.split("</style>")[0])
    for part in [
        "x = a / (torch.abs(a) + 1)",
        "a: CPU float32 tensor of shape [10], stride [1], no grad",
        "the branch depends on a tensor's value",
        "proven equivalent",
        "of Dynamo's own",
        "true: resume at line",
        "abs, add, truediv, sum, lt",
    ]:
        assert part in reader.shown


def test_a_call_leads_to_its_graph_and_a_graph_to_the_source(toy: Session) -> None:
    text = toy.to_html()
    graph = toy.frames[0].entries[0].graphs[0].name
    resume = toy.frames[0].entries[0].resume_functions[0].name
    code = text[text.index("Transformed code") :]
    for name in (graph, resume):
        target = re.search(r'<a href="#([^"]*)">{}</a>\(a, b\)|<a href="#([^"]*)">{}</a>\('.format(name, name), code)
        assert target is not None
        assert 'id="{}"'.format(target.group(1) or target.group(2)) in text
    line = toy_example.__code__.co_firstlineno + 1
    place = re.search(r'<a href="#([^"]*)">test_html_forms.py:{}</a>'.format(line), code)
    assert place is not None and 'id="{}"'.format(place.group(1)) in text


def test_line_numbers_are_no_part_of_the_text(toy: Session) -> None:
    reader = Reader(toy.to_html())
    assert "    if b.sum() < 0:\n        b = b * -1\n    return x * b\n" in reader.shown


def test_two_displays_on_one_page(toy: Session) -> None:
    one, other = Reader(toy._repr_html_()), Reader(toy._repr_html_())
    assert needs_nothing(one) and needs_nothing(other)
    assert not set(one.ids) & set(other.ids)
    assert one.shown == other.shown


def test_both_themes(toy: Session) -> None:
    style = toy._repr_html_().split("</style>")[0]
    for says in ["prefers-color-scheme:dark", '[data-jp-theme-light="false"]', ".vscode-dark", ".vscode-light"]:
        assert says in style


def evil(text: str) -> Session:
    """A model whose every text is hostile to a page."""
    entry = CacheEntry(
        compile_id=text,
        guards=[Guard(code=text, words=text, kind="X"), Guard(code=text, words=text, is_bookkeeping=True)],
        guard_tree=text,
        transformed=Decompiled(source=text, level="unproven", verdict=text, assumptions=[text]),
        graphs=[Graph(text, source=text, kernels=[Kernel(text, source=text)], stage_files={text: text})],
        side_effects=[text],
        recompile_reasons=[text],
        backend=text,
    )
    frame = Frame(text, qualname=text, filename=text, first_line=1, source=text, entries=[entry], skipped=text)
    return Session(frames=[frame], torch_version=text, python_version=text)


@pytest.mark.parametrize("text", ["<b>", "</style><script>alert(1)</script>", '" onclick="x', "'>&amp;<!--", "]]><"])
def test_everything_is_escaped(text: str) -> None:
    for shown in (evil(text).to_html(), evil(text)._repr_html_()):
        reader = Reader(shown)
        assert "script" not in reader.tags
        assert not {name for name in reader.attributes if name.startswith("on")}
        assert reader.shown.count(text) >= 15


def test_a_refusal_and_a_missing_graph_say_why() -> None:
    entry = CacheEntry(
        compile_id="0/0",
        transformed=Decompiled(reasons=["a < b is too hard"], listing="  0 LOAD_CONST 1"),
        graphs=[Graph("__compiled_fn_1", unavailable="the backend hid it")],
    )
    shown = Reader(Session(frames=[Frame("f", entries=[entry])]).to_html()).shown
    for part in ["refused", "a < b is too hard", "LOAD_CONST 1", "the backend hid it", "0 of 1 proven"]:
        assert part in shown


def test_of_many_compilations_the_last_are_named_only() -> None:
    source = "".join("x{} = y{}\n".format(number, number) for number in range(100))
    entries = [
        CacheEntry("0/{}".format(number), number, graphs=[Graph("__compiled_fn_{}".format(number), source=source)])
        for number in range(200)
    ]
    session = Session([Frame("f", filename="a.py", first_line=1, source="def f(): ...", entries=entries)])
    reader = Reader(session._repr_html_())
    assert needs_nothing(reader) and len(session._repr_html_()) < 300_000
    assert "Compilation 0/0 is left out" not in reader.shown
    assert "Compilation 0/199 is left out here: to_html(path) writes all of it." in reader.shown
    assert "left out" not in Reader(session.to_html()).shown


def test_long_listings_are_cut_in_notebooks_alone() -> None:
    source = "".join("x{} = {}\n".format(number, number) for number in range(5000))
    session = evil("y")
    session.frames[0].entries[0].graphs[0].kernels[0].source = source
    assert "x4999 = 4999" in Reader(session.to_html()).shown
    shown = Reader(session._repr_html_()).shown
    assert "x4999" not in shown and "4880 more lines are left out here" in shown


def test_code_in_colours_is_the_same_code() -> None:
    source = 'def f(x):\n    """<doc>"""\n    return [x, "a\\tb", 1.5]  # & so\n\n@g\nclass C: pass'
    assert Reader(code_html(source)).shown == source + "\n"
    assert '<span class="k">def</span>' in code_html(source)


def test_the_languages_inside_a_kernel() -> None:
    source = "k = cpp_pybinding(['float*'], '''\n#include <math.h>\nfor (long x = 0; x < 3; x++) {}\n''')\n"
    shown = code_html(source)
    assert '<span class="k">for</span>' in shown and "&lt;math.h&gt;" in shown
    assert Reader(shown).shown == source


def test_without_pygments(toy: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    from depyf.explain.report.html import highlight

    monkeypatch.setitem(sys.modules, "pygments", None)
    monkeypatch.setitem(sys.modules, "pygments.lexers", None)
    monkeypatch.setattr(highlight, "_lexers", {})
    reader = Reader(toy.to_html())
    assert needs_nothing(reader)
    assert "install pygments" in reader.shown
    assert "    if b.sum() < 0:\n" in reader.shown
    graph = toy.frames[0].entries[0].graphs[0].name
    assert '">{}</a>(a, b)'.format(graph) in toy.to_html()


def test_interactive_explain_is_what_a_notebook_shows(toy: Session) -> None:
    assert Reader(interactive_explain(toy_example)._repr_html_()).shown == Reader(toy._repr_html_()).shown


def test_the_data_says_its_format(toy: Session) -> None:
    import json

    data = toy.to_dict()
    assert data["format"] == 1 and data["frames"][0]["name"] == "toy_example"
    assert json.loads(toy.to_json()) == data
    assert repr(toy) == str(toy)


def test_a_large_model_is_small_in_a_notebook() -> None:
    """Layers that are alike stand once, long listings are cut, and each cut says where all of it is."""
    layers = [torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.LayerNorm(4)) for _ in range(40)]
    model = torch.compile(torch.nn.Sequential(*layers), backend="eager")
    model(torch.ones(2, 4))
    session = inspect(model)
    short, whole = session._repr_html_(), session.to_html()
    assert len(short) < 60_000 < 4 * len(short) < len(whole)
    reader = Reader(short)
    assert needs_nothing(reader) and "to_html(path) writes all of it" in reader.shown
    assert "... the same 38 times more, with other numbers: 114 statements" in reader.shown
    assert "to_html(path)" not in Reader(whole).shown


def test_a_model_shows_itself_where_nothing_else_is_loaded() -> None:
    program = (
        "import pickle, sys\n"
        "session = pickle.loads(bytes.fromhex(sys.argv[1]))\n"
        "assert repr(session).startswith('f ') and '<' in session._repr_html_() and 'html' in session.to_html()\n"
        "assert 'torch' not in sys.modules\n"
    )
    session = Session([Frame("f", filename="a.py", first_line=1, source="def f(): ...")])
    subprocess.run([sys.executable, "-c", program, pickle.dumps(session).hex()], check=True)
