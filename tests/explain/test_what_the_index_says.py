"""The index of a dump where it used to say something false, or nothing: one test for each."""

import logging

import pytest

import depyf
from depyf.explain.frames.circumstances import RecompilingCall
from depyf.explain.frames.recompiles import reason_from_text
from depyf.explain.guards.collect import recompile_reason

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.usefixtures("fresh_dynamo")


def compiled(function, **options):
    return torch.compile(function, backend="eager", **options)


def index_of(folder):
    return (folder / "README.md").read_text(encoding="utf-8")


def plus_one(x):
    return x + 1


def times_two(x):
    return x * 2


def test_a_number_that_comes_again_after_a_reset_is_told_apart(tmp_path):
    with depyf.prepare_debug(tmp_path) as model:
        compiled(plus_one)(torch.ones(3))
        torch._dynamo.reset()
        compiled(plus_one)(torch.ones(3))
        compiled(times_two)(torch.ones(3))
    entries = [entry for frame in model.frames for entry in frame.entries]
    assert [entry.number.partition(" (")[2] for entry in entries] == ["dropped by torch._dynamo.reset())", "", ""]
    assert len({entry.number for entry in entries}) == 3
    index = index_of(tmp_path)
    assert "plus_one ── 2 compilations, of those that are there, the first whose guard holds is used" in index
    assert index.count("0/0 (dropped by torch._dynamo.reset())") >= 1


def test_files_of_an_earlier_recording_are_named(tmp_path):
    with depyf.prepare_debug(tmp_path):
        compiled(plus_one)(torch.ones(3))
    assert "earlier" not in index_of(tmp_path)
    times = ("compile_times.txt", "compile_times.json", "compile_times.trace.json")
    again = ("README.md", *times, "remarks.json", "sources.json")  # of each
    before = sorted(path.name for path in tmp_path.iterdir() if path.name not in again)
    (tmp_path / "notes.txt").write_text("mine")
    with depyf.prepare_debug(tmp_path):
        compiled(times_two)(torch.ones(3))
    index = index_of(tmp_path)
    assert "{} files in this folder are not of this recording, but of an earlier one".format(len(before)) in index
    listed = index.partition("## Files of an earlier recording")[2].splitlines()
    assert [line[2:] for line in listed if line.startswith("- ")] == before


def test_export_is_not_nothing(tmp_path, caplog):
    class Sine(torch.nn.Module):
        def forward(self, x):
            return x.sin() + 1

    with caplog.at_level(logging.WARNING, "depyf"), depyf.prepare_debug(tmp_path) as model:
        torch.export.export(Sine(), (torch.ones(3),))
    if not any(one.kind == "graph" for one in model.artifacts):
        pytest.skip("this torch shows no graph of an export")
    if not model.frames:
        assert "torch.compile compiled no function while this was recorded" in index_of(tmp_path)
        assert "torch.export" in index_of(tmp_path)
    assert "Nothing was compiled" not in index_of(tmp_path)
    assert "nothing was compiled" not in caplog.text


def test_what_was_called_and_refused_is_not_asked_about(tmp_path, caplog):
    def refused(x):
        if x.sum() > 0:
            return x
        return -x

    with caplog.at_level(logging.WARNING, "depyf"), depyf.prepare_debug(tmp_path):
        with pytest.raises(torch._dynamo.exc.Unsupported):
            compiled(refused, fullgraph=True)(torch.ones(3))
    assert "was what torch.compile returned called?" not in caplog.text
    assert "Dynamo tried refused and gave up: " in caplog.text
    assert "- Calls that raised: 1" in index_of(tmp_path) and " in refused; compilation " in index_of(tmp_path)
    assert "What Dynamo tried follows" in index_of(tmp_path)


def test_a_method_that_is_refused_is_listed_once(tmp_path):
    class Branching(torch.nn.Module):
        def forward(self, x):
            return x if x.sum() > 0 else -x

    with depyf.prepare_debug(tmp_path) as model, pytest.raises(torch._dynamo.exc.Unsupported):
        compiled(Branching(), fullgraph=True)(torch.ones(3))
    assert [one.function for one in model.refusals] == ["Branching.forward"]


def test_a_method_that_is_refused_has_its_class(tmp_path):
    class Tagger(torch.nn.Module):
        def forward(self, x):
            for _ in range(2):
                x = x + 1
                torch._dynamo.graph_break()
            return x

    with depyf.prepare_debug(tmp_path) as model:
        compiled(Tagger())(torch.ones(3))
    if not model.refusals:
        pytest.skip("this torch does not tell of it")
    assert "Tagger.forward" in [one.function for one in model.refusals]


def test_why_something_was_to_be_compiled_again_that_was_then_refused_or_left(tmp_path):
    def scaled(x, n):
        return x * n

    def looped(x, n):
        for _ in range(n):
            torch._dynamo.graph_break()
        return x + n

    def maybe(x, other):
        return x + 1 if other is None else 5

    limit = "recompile_limit" if hasattr(torch._dynamo.config, "recompile_limit") else "cache_size_limit"
    changes = {limit: 2, "automatic_dynamic_shapes": False, "specialize_int": True}
    with depyf.prepare_debug(tmp_path) as model, torch._dynamo.config.patch(**changes):
        calls = [compiled(scaled), compiled(looped)]
        for n in range(4):
            for call in calls:
                call(torch.ones(3), n)
        left = compiled(maybe)
        left(torch.ones(3), None)
        left(torch.ones(3), 3)
    found = {one.function: [why.expected for why in one.recompiled] for one in model.refusals}
    assert found["looped"] == ["0"]
    if found.get("scaled"):  # not told by every torch
        assert sorted(found["scaled"]) == ["0", "1"]
        assert [one.function for one in model.refusals].count("scaled") == 1
    section = index_of(tmp_path).partition("## What was not compiled")[2].partition("\n## ")[0]
    assert " did not fit: n == 0; it is 1 now" in section  # torch 2.2 does not say which
    (skip,) = [one for one in model.skips if one.function == "maybe"]
    assert [why.actual for why in skip.recompiled] == ["3"]
    assert "  - `maybe`: " in index_of(tmp_path)


def test_generators_of_pythons_library_are_left_out():
    import types

    from depyf.explain.frames import attempts
    from depyf.explain.model import Session

    def generator():
        yield 1

    error = torch._dynamo.exc.Unsupported("Attempt to trace generator")
    for filename, expected in ((types.__file__, 0), (__file__, 1)):
        heard = attempts.Attempts(Session())
        code = generator.__code__.replace(co_filename=filename)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(attempts.torch_attempts, "code_asked_about", lambda code=code: code)
            heard.unsupported(error)
        assert len(heard.refusals.found) == expected


def test_a_graph_that_ddp_cuts_has_no_break():
    from types import SimpleNamespace

    from depyf.explain.frames import break_log

    cut = SimpleNamespace(reason="DDPOptimizer cuts", user_stack=[SimpleNamespace(lineno=0)])
    with pytest.MonkeyPatch.context() as patch:
        kept = []
        patch.setattr(break_log.torch_keeps, "graph_break_reasons", lambda: kept)
        log = break_log.BreakLog()
        kept += [cut, cut]
        assert (log.take("0/0"), log.cuts) == ([], ["DDPOptimizer cuts"] * 2)


def test_the_type_that_came_is_said():
    text = "7/1: ___check_type_id(module, 94004433616688), type=<class 'models.Router'>  # f(module)  # a.py:3 in g"
    one = reason_from_text(text, RecompilingCall({"module": {}}, {}, {}))
    assert "<class" not in one.words and "94004433616688" not in one.guard
    assert one.words == recompile_reason("___check_type_id(module, 94004433616688)")


def test_a_keyword_that_is_missing_has_a_remedy():
    one = reason_from_text("0/1: KeyError on kwargs['labels']")
    assert one.remedy == "each set of keys is compiled by itself: have the same keys in kwargs every time"
    assert one.words == "kwargs has no key 'labels' now"


@pytest.mark.parametrize(
    ("check", "words"),
    [
        ("KeyError on self.w", "self.w has become a parameter"),
        ("KeyError on self.v", "self has no attribute v of its own now"),
        ("getattr failed on source p", "p lacks an attribute that it had"),
        ("getattr failed on source self.w", "self.w lacks an attribute that it had"),
        ("getattr failed on source self.v", "self has no attribute v now"),
        ("IndexError on xs[3]", "xs has no item 3 now"),
    ],
)
def test_what_was_read_and_is_gone_is_told_without_advice(check, words):
    module = torch.nn.Module()
    module.w = torch.nn.Parameter(torch.ones(1))
    one = reason_from_text("0/0: " + check, RecompilingCall({"self": module}, {}, {}))
    assert (one.words, one.remedy) == (words, "")


def test_a_global_and_an_attribute_of_a_class_have_a_value():
    class Meter:
        total = 3

    call = RecompilingCall({"x": 1}, {"Meter": Meter, "x": 2}, {})
    for check, actual in {"Meter.total == 0": "3", "x == 0": "1", "G['x'] == 0": "2", "Meter.none == 0": ""}.items():
        assert reason_from_text("0/0: " + check, call).actual == actual


@pytest.mark.parametrize(("actual", "said"), [("8", "mark_dynamic"), ("1", "sizes 0 and 1 are always")])
def test_a_size_of_one_is_never_dynamic(actual, said):
    text = "0/0: tensor 'x' size mismatch at index 1. expected 6, actual {}".format(actual)
    one = reason_from_text(text)
    assert said in (one.remedy or one.note) and not (one.remedy and one.note)
