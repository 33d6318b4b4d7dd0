"""Every graph break is recorded, with a graph before it or without: on the page, in the index and in the model."""

import json
import re
import traceback
import types

import pytest
from forks import TORCH

pytest.importorskip("torch")

PROGRAM = '''
import json
import sys

import torch

import depyf


def item(x):
    return x.item() + 1.0


def first(x):
    return item(x.sum())


def printed(x):
    print("hello")
    return x + 1


def tried(x):
    y = x.sin()
    y = y.cos()
    try:
        torch._dynamo.graph_break()
    except ValueError:
        pass
    return y + 1


class Quiet:
    def __enter__(self):
        return self

    def __exit__(self, *found):
        return False


def managed(x):
    y = x + 1
    with Quiet():
        torch._dynamo.graph_break()
        y = y * 2
    return y


@torch.compiler.disable
def switched_off(x):
    return x * 3


def disabled(x):
    return switched_off(x + 1) + 1


def branch(x):
    y = x * 2
    if y.sum() > 0:
        return y + 1
    return y - 1


def in_a_loop(x):
    for _ in range(2):
        x = x + 1
        torch._dynamo.graph_break()
    return x


def generator(x):
    yield x + 1


def number(n):
    return n + 1


def all_of_it(x):
    print("not now")
    return x + 1


def masked(x):
    layer = torch.nn.TransformerEncoderLayer(4, 2, batch_first=True).eval()
    mask = torch.zeros(1, 3, dtype=torch.bool)
    if x.sum().item() > 0:
        return layer(torch.ones(1, 3, 4), src_key_padding_mask=mask)
    return mask


FUNCTIONS = [first, printed, tried, managed, disabled, branch, in_a_loop, masked]
compiled = {one.__name__: torch.compile(one, backend="eager") for one in FUNCTIONS}
with depyf.prepare_debug(sys.argv[1]) as session:
    for one in compiled.values():
        one(torch.ones(3))
    torch.compile(number, backend="eager")(3)
    torch.compile(lambda x: number(3), backend="eager")(torch.ones(3))
    list(torch.compile(generator, backend="eager")(torch.ones(3)))
    try:
        torch.compile(all_of_it, backend="eager", fullgraph=True)(torch.ones(3))
    except torch._dynamo.exc.Unsupported:
        print("raised")
counters = torch._dynamo.utils.counters
afterwards = {one.__name__: depyf.inspect(one).to_dict() for one in (printed, branch, item)}
print(json.dumps({
    "recorded": session.to_dict(),
    "afterwards": afterwards,
    "broken": {text: counts for text, counts in counters["graph_break"].items()},
    "not supported": list(counters["unimplemented"]),
}))
'''


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = tmp_path_factory.mktemp("breaks")
    (home / "program.py").write_text(PROGRAM)
    return home


@pytest.fixture(scope="module")
def told(home):
    done = TORCH.run(home / "program.py", home / "dump")
    assert done.returncode == 0, done.stderr[-3000:]
    lines = done.stdout.splitlines()
    assert "raised" in lines[:-1]
    return json.loads(lines[-1])


@pytest.fixture(scope="module")
def dump(home, told):
    return {path.name: path.read_text() for path in (home / "dump").iterdir() if path.is_file()}


def breaks_of(session):
    found = [one for frame in session["frames"] for entry in frame["entries"] for one in entry["breaks"]]
    return found + session["breaks"]


def frame_of(session, name):
    return next(frame for frame in session["frames"] if frame["name"] == name)


def title(text):
    return text.strip().splitlines()[0].split(" at 0x")[0].split(" ...")[0]


def test_no_break_that_torch_counts_is_missing(told):
    recorded = [title(one["gb_type"]) for one in breaks_of(told["recorded"])]
    for text, times in told["broken"].items():
        alike = sum(n for other, n in told["broken"].items() if title(other) == title(text))
        assert recorded.count(title(text)) == alike >= times, (text, recorded)


def test_nothing_that_torch_gives_up_is_missing(told):
    session = told["recorded"]
    known = [title(one["gb_type"]) for one in breaks_of(session)]
    known += [title(one["why"]["gb_type"]) for one in session["refusals"]]
    known += [one["consequence"] for one in session["refusals"]]
    for text in told["not supported"]:
        if "Graph break under Generic" in title(text) or "***" in text:
            assert any("Generic" in one for one in known)
        else:
            assert title(text) in known or title(text) == "generic_jump", (text, known)


def test_a_break_before_any_operation_has_reason_place_and_stack(told):
    (entry,) = frame_of(told["recorded"], "item")["entries"]
    (one,) = entry["breaks"]
    assert entry["graphs"] == []
    assert "item" in one["reason"]
    assert one["location"]["text"] == "return x.item() + 1.0"
    (entry,) = frame_of(told["recorded"], "first")["entries"]
    assert [line["function"] for line in entry["breaks"][0]["stack"]] == ["first", "item"]
    assert [line["text"] for line in entry["breaks"][0]["stack"]] == ["return item(x.sum())", "return x.item() + 1.0"]


def test_where_torch_goes_back_the_reason_is_the_real_one(told):
    (one,) = frame_of(told["recorded"], "tried")["entries"][0]["breaks"]
    assert "step" not in one["reason"]
    assert "graph_break" in one["reason"]
    assert one["location"]["text"] == "torch._dynamo.graph_break()"


def test_where_torch_goes_back_to_a_comprehension_the_reason_is_the_real_one(monkeypatch):
    """It does from 2.11 on, with Python 3.12 and later: `comprehension_graph_break`."""
    from depyf.explain.frames import break_log

    line = traceback.FrameSummary("program.py", 7, "f", lookup_line=False, line="return g(x)")
    kept = []
    monkeypatch.setattr(break_log.torch_keeps, "graph_break_reasons", lambda: kept)
    monkeypatch.setattr(break_log.torch_behavior, "current_compile_id", lambda: "0/0")
    attempt = iter((0, 1, 1))
    monkeypatch.setattr(break_log.torch_attempts, "current_attempt", lambda: next(attempt))
    log = break_log.BreakLog()
    log.raised(types.SimpleNamespace(msg="the real one", real_stack=[line]))
    before = traceback.FrameSummary("program.py", 3, "f", lookup_line=False, line="y = [n for n in x]")
    kept.append(types.SimpleNamespace(reason="comprehension_graph_break", user_stack=[before]))
    (one,) = log.take("0/0")
    assert (one.reason, one.location.line) == ("the real one", 7)
    kept.append(types.SimpleNamespace(reason="comprehension_graph_break", user_stack=[before]))
    (one,) = log.take("0/0")  # no error is known
    assert one.reason.startswith("Dynamo went back to the last comprehension") and one.location.line == 3


def test_pages_show_breaks_without_graphs(dump):
    page = dump["full_code_for_item_0.py"]
    assert page.splitlines()[0].endswith("0 graphs, 1 graph break, 1 compilation")
    assert "return x.item() + 1.0" in page.partition("\nfrom __future__")[0]
    assert "Graph break at program.py:" in page
    page = dump["full_code_for_first_0.py"]
    assert "On the way there:" in page
    compile(page, "page", "exec", dont_inherit=True)


def test_the_index_groups_breaks_by_reason_with_whole_hints_and_links(told, dump):
    index = dump["README.md"]
    section = index.partition("## Graph breaks (")[2].partition("\n## ")[0]
    every = [one for one in breaks_of(told["recorded"]) if one not in told["recorded"]["breaks"]]
    places = {(one["location"]["line"], one["reason"]) for one in every}
    assert section.startswith("{})".format(len(places)))
    for one in every:
        assert one["reason"] in section
        assert one["link"] in section
        assert all(" ".join(hint.split()) in section for hint in one["hints"])
        assert one["compile_id"] in section
        assert one["location"]["text"] in section


def test_the_index_begins_with_the_answer(told, dump):
    head = dump["README.md"].partition("Start with")[0]
    lines = dict(line[2:].split(": ", 1) for line in head.splitlines() if line.startswith("- "))
    assert list(lines) == ["Calls that raised", "Functions compiled", "Graphs", "Graph breaks", "Compiled again",
                           "Not compiled"]  # fmt: skip
    graphs = {graph["name"] for frame in told["recorded"]["frames"] for e in frame["entries"] for graph in e["graphs"]}
    assert lines["Graphs"] == str(len(graphs))
    number = dump["README.md"].partition("## Graph breaks (")[2].partition(")")[0]
    assert re.match(rf"{number}( \(\d+ times\))?, for ", lines["Graph breaks"])
    assert "`item`" in lines["Functions compiled"]
    assert "`managed`" in lines["Not compiled"]
    assert "`number`" in lines["Not compiled"]  # the first call had nothing to compile, so no later one is compiled
    sections = [line for line in dump["README.md"].splitlines() if line.startswith("## ")]
    first_tree = next(place for place, line in enumerate(sections) if "program.py:" in line)
    assert sections[0] == "## What raised (1)" and sections[1].startswith("## Graph breaks (")
    assert first_tree < sections.index("## What was proven")


def test_what_is_given_up_skipped_or_disabled_has_a_line_and_a_reason(told, dump):
    index = dump["README.md"]
    lines = index.partition("## What was not compiled")[2].partition("\n## ")[0].splitlines()
    refused = {words[0]: line for line in lines for words in re.findall(r"` in (\w+)([;:,]|$)", line)}
    assert {"managed", "in_a_loop", "generator"} <= set(refused)
    assert "program.py:" in refused["managed"]
    raised = index.partition("## What raised")[2].partition("\n## ")[0]
    assert " in all_of_it; compilation " in raised and "Unsupported: " in raised
    left = index.partition("## What Dynamo left to Python")[2].partition("\n## ")[0]
    assert "nothing to compile in it: no operation on a tensor was traced" in left
    assert "`number` (program.py:" in left
    assert "switched_off" in str([one for one in breaks_of(told["recorded"]) if "disable" in one["reason"]])


def test_a_resume_function_that_was_called_does_not_say_otherwise(told):
    (resume,) = frame_of(told["recorded"], "item")["entries"][0]["resume_functions"]
    assert resume["uncompiled"] == "called; nothing to compile in it: no tensor among what it is called with"
    (resume,) = frame_of(told["afterwards"]["item"], "item")["entries"][0]["resume_functions"]
    assert resume["uncompiled"] == "Dynamo looked at it and left it to Python"


def test_an_arm_that_was_not_taken_says_that_there_was_no_call(told):
    for session in (told["recorded"], told["afterwards"]["branch"]):
        resumes = frame_of(session, "branch")["entries"][0]["resume_functions"]
        assert [one["uncompiled"] for one in resumes] == ["", "Dynamo has seen no call of it"]


@pytest.mark.parametrize("name", ["printed", "branch"])
def test_after_the_fact_breaks_are_those_of_the_recording(told, name):
    recorded = frame_of(told["recorded"], name)["entries"][0]["breaks"]
    kept = frame_of(told["afterwards"][name], name)["entries"][0]["breaks"]
    assert [(one["reason"], one["location"]["line"]) for one in kept] == [
        (one["reason"], one["location"]["line"]) for one in recorded
    ]
