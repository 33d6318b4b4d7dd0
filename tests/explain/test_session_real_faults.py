"""What really goes wrong: disks, folders, names, hooks which a torch does not have, a decompiler with bugs."""

import builtins
import errno
import linecache
import logging
import os
import resource
import shutil
import sys
import threading
import time
import types

import pytest
import torch
import torch._inductor.codecache

import depyf
from depyf.decompiler import pipeline
from depyf.explain import time_limit
from depyf.explain.dump import dump_directory
from depyf.explain.guards.collect import collect_guards
from depyf.explain.recording import patches, session
from depyf.explain.torch_facts import torch_behavior


@pytest.fixture(autouse=True)
def fresh_dynamo():
    torch._dynamo.reset()
    yield
    assert session.active_recorders() == []


def f(a, b):
    x = a + 1
    torch._dynamo.graph_break()
    return x * b


def program(function=f):
    torch._dynamo.reset()
    return torch.compile(function, backend="eager")(torch.ones(2), torch.ones(2)).tolist()


def said(caplog):
    return [record.getMessage() for record in caplog.records if record.name == "depyf"]


def as_written(path):
    return (path / "README.md").read_text(encoding="utf-8")


def test_a_disk_which_is_full(tmp_path, caplog):
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (600, limit[1]))
    try:
        with depyf.prepare_debug(tmp_path) as model:
            assert program() == [2.0, 2.0]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert {one.status for one in model.artifacts if one.kind == "page"} == {"missing"}
    assert as_written(tmp_path).startswith("# The index could not be written\n\nFile too large")
    assert [path.name for path in tmp_path.iterdir() if path.stat().st_size > 600] == []
    assert said(caplog) and not list(tmp_path.glob("*.part"))


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EROFS, errno.EDQUOT, errno.EIO])
def test_files_which_cannot_be_opened(number, tmp_path, monkeypatch, caplog):
    def cannot(path, *args, open=os.open, **kwargs):
        if str(path).endswith(".part"):
            raise OSError(number, os.strerror(number), path)
        return open(path, *args, **kwargs)

    monkeypatch.setattr(os, "open", cannot)
    with depyf.prepare_debug(tmp_path / "dump") as model:
        assert program() == [2.0, 2.0]
    assert not list((tmp_path / "dump").iterdir())
    assert {one.status for one in model.artifacts} == {"missing"}
    assert all(os.strerror(number) in one.reason for one in model.artifacts)
    assert any(os.strerror(number) in line for line in said(caplog))


def test_a_home_which_is_read_only(tmp_path, monkeypatch, caplog):
    def read_only(path, *args, **kwargs):
        raise OSError(errno.EROFS, "Read-only file system", path)

    monkeypatch.setattr(os, "mkdir", read_only)
    with depyf.prepare_debug(tmp_path / "dump") as model:
        assert program() == [2.0, 2.0]
    assert "Read-only file system" in model.failures[0].reason
    assert len(said(caplog)) == 1


def test_a_path_which_is_a_file(tmp_path, caplog):
    (tmp_path / "dump").write_text("mine")
    with depyf.prepare_debug(tmp_path / "dump"):
        assert program() == [2.0, 2.0]
    assert (tmp_path / "dump").read_text() == "mine"
    assert len(said(caplog)) == 1


def test_a_directory_which_is_deleted_in_between(tmp_path, caplog):
    with depyf.prepare_debug(tmp_path / "dump") as model:
        assert program() == [2.0, 2.0]
        shutil.rmtree(tmp_path / "dump")
        assert program(lambda a, b: a * b * 3) == [3.0, 3.0]
    assert not (tmp_path / "dump").exists()
    assert "missing" in {one.status for one in model.artifacts}
    assert said(caplog)


def test_a_folder_of_an_earlier_run_is_written_over(tmp_path):
    for _ in range(2):
        with depyf.prepare_debug(tmp_path):
            assert program() == [2.0, 2.0]
        for path in tmp_path.iterdir():
            os.utime(path, (time.time() - 1e6,) * 2)
        dump_directory.WRITTEN.clear()
    assert (tmp_path / "__transformed_code_0_for_f.py").exists()
    assert not (tmp_path / "__transformed_code_1_for_f.py").exists()


@pytest.mark.parametrize("name", ["long" * 90, "naïve_前向", "a/b", "..", "a{0}b{", 'c:*?"|<>', "-rf", " "])
def test_names_of_functions_which_are_no_names_of_files(name, tmp_path):
    code = f.__code__.replace(co_name=name)
    named = types.FunctionType(code, globals(), name)
    with depyf.prepare_debug(tmp_path / "dump") as model:
        assert program(named) == [2.0, 2.0]
    assert [path.name for path in tmp_path.iterdir()] == ["dump"]
    assert len(list((tmp_path / "dump").glob("__transformed_code_*.py"))) == 2
    assert len(list((tmp_path / "dump").glob("full_code_for_*.py"))) == 1
    assert not [failure for failure in model.failures if "writing" in failure.what]
    for path in (tmp_path / "dump").glob("*.py"):
        compile(path.read_text(encoding="utf-8"), path.name, "exec", dont_inherit=True)


def test_an_encoding_without_letters(run_python, tmp_path, monkeypatch):
    for name, value in [("LC_ALL", "C"), ("PYTHONUTF8", "0"), ("PYTHONCOERCECLOCALE", "0"),
                        ("PYTHONIOENCODING", "ascii")]:
        monkeypatch.setenv(name, value)
    done = run_python('''
        # encoding: utf-8
        import sys, torch, depyf
        def vorwärts(x):
            torch._dynamo.graph_break()
            return x + len("ä前")
        with depyf.prepare_debug("dump"):
            print(torch.compile(vorwärts, backend="eager")(torch.ones(1)).tolist())
        print(sys.getfilesystemencoding(), sys.stdout.encoding.lower())
    ''')
    assert done.stdout.split() == ["[3.0]", "ascii", "ascii"], done.stderr
    assert done.stderr == ""
    assert len(list(tmp_path.glob("dump/full_code_for_vorw*.py"))) == 1
    assert len(list(tmp_path.glob("dump/__transformed_code_0_for_vorw*.py"))) == 1


class _Manager:
    def __str__(self):
        return "+- ROOT\n| +- SOMETHING_NEW: ___frobnicate(L['x'], <no python>)  # f(x)  # toy.py:3 in f\n| +- ? ???"


def test_a_guard_of_a_kind_which_nobody_knows():
    guards, _ = collect_guards(_Manager(), {}, "toy.py")
    assert [guard.kind for guard in guards] == ["SOMETHING_NEW"]
    assert guards[0].code == "___frobnicate(L['x'], <no python>)" and not guards[0].runnable and guards[0].words


@pytest.mark.parametrize("target", [
    "torch._dynamo.convert_frame.register_bytecode_hook",
    "torch.fx._utils.lazy_format_graph_code",
    "torch._inductor.codecache.PyCodeCache.load_by_key_path",
])
def test_a_torch_without_what_we_hook(target, tmp_path, monkeypatch, caplog):
    torch_behavior.graph_formatter.cache_clear()
    monkeypatch.delattr(target)
    monkeypatch.delattr("torch._dynamo.utils.lazy_format_graph_code", raising=False)
    try:
        with depyf.prepare_debug(tmp_path):
            assert program() == [2.0, 2.0]
    finally:
        torch_behavior.graph_formatter.cache_clear()
    row = next(row for row in patches.PATCHES if row.target == target)
    lines = [line for line in as_written(tmp_path).splitlines() if line.startswith("- hooking " + row.target)]
    assert len(lines) == 1 and "MissingHook" in lines[0] and lines[0].endswith("(costs {})".format(row.serves))
    assert len([line for line in said(caplog) if row.target in line]) == 1


# ---- a decompiler with bugs


def hangs(*_, **__):
    while True:
        time.sleep(0.001)


def refuses(*_, **__):
    raise depyf.DecompilationError("planted", instructions="  0 LOAD_FAST 0\n  2 LOAD_GLOBAL 1\n" * 50)


class BadError(Exception):
    def __str__(self):
        raise RuntimeError("not even a text")


def raises_a_bad_error(*_, **__):
    raise BadError


def recurses(*_, **__):
    return recurses()


BUGS = {
    "hangs": hangs,
    "refuses": refuses,
    "bad error": raises_a_bad_error,
    "recursion": recurses,
    "nothing": lambda *_, **__: None,
    "rubbish": lambda *_, **__: types.SimpleNamespace(source="def (", verdict=object(), proven=True),
    "exits": lambda *_, **__: sys.exit("planted"),
}


@pytest.mark.parametrize("bug", sorted(BUGS))
def test_a_decompiler_with_a_bug(bug, tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(pipeline, "analyze", BUGS[bug])
    monkeypatch.setattr(time_limit, "LONGEST", 0.2)
    monkeypatch.setattr(time_limit, "_GIVEN_UP", [])
    threads = threading.active_count()
    if bug == "exits":
        with pytest.raises(SystemExit), depyf.prepare_debug(tmp_path):  # leaving is what it asks for
            program()
        return
    with depyf.prepare_debug(tmp_path) as model:
        assert program() == [2.0, 2.0]
    assert len(list(tmp_path.glob("__transformed_code_*.py"))) == 2
    assert not any(entry.runs_decompiled for frame in model.frames for entry in frame.entries)
    assert said(caplog)
    for line in said(caplog):
        assert len(line) < 500 and "\n" not in line and "LOAD_" not in line
    until = time.monotonic() + 10
    while threading.active_count() > threads and time.monotonic() < until:
        time.sleep(0.05)
    assert threading.active_count() <= threads


def test_text_which_does_something_else_does_not_run(tmp_path, monkeypatch):
    analyze = pipeline.analyze

    def wrong(*args, **kwargs):
        result = analyze(*args, **kwargs)
        if result.source.startswith("def f("):
            object.__setattr__(result, "source", "def f(a, b):\n    return 42\n")
        return result

    monkeypatch.setattr(pipeline, "analyze", wrong)
    with depyf.prepare_debug(tmp_path) as model:
        assert program() == [2.0, 2.0]
    runs = {frame.name: entry.runs_decompiled for frame in model.frames for entry in frame.entries}
    assert runs["f"] is False


def test_a_log_whose_handler_fails(tmp_path, monkeypatch):
    class Bad(logging.Filter):
        def filter(self, record):
            raise RuntimeError("the log is broken")

    bad = Bad()
    logging.getLogger("depyf").addFilter(bad)
    monkeypatch.setattr(pipeline, "analyze", raises_a_bad_error)
    try:
        with depyf.prepare_debug(tmp_path):
            assert program() == [2.0, 2.0]
    finally:
        logging.getLogger("depyf").removeFilter(bad)
    assert "BadError" in as_written(tmp_path)


# ---- nothing is left behind


def everything():
    """What a recording might change in this process: names in torch's modules and classes, code of its functions."""
    found = {}
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] != "torch" or not isinstance(module, types.ModuleType):
            continue
        for key, value in list(vars(module).items()):
            if key.isupper() or isinstance(value, (int, float, str, list, dict, set, tuple)) or key.startswith("__"):
                continue
            found[name, key] = value
            if isinstance(value, types.FunctionType):
                found[name, key, "code"] = value.__code__
            if isinstance(value, type) and value.__module__ == name:
                for inner, one in list(vars(value).items()):
                    if callable(one) or isinstance(one, (classmethod, staticmethod)):
                        found[name, key, inner] = one
    for config in (torch._inductor.config, torch._functorch.config, torch._dynamo.config):
        for setting, entry in config._config.items():
            override = getattr(entry, "user_override", None)
            found[config.__name__, setting, "value"] = getattr(config, setting)
            found[config.__name__, setting, "set"] = override.get() if hasattr(override, "get") else override
    found["hooks"] = list(torch._dynamo.convert_frame._bytecode_hooks.values())
    found["process"] = (sys.gettrace(), sys.getprofile(), sys.excepthook, sys.displayhook, builtins.__import__,
                        sys.getrecursionlimit(), os.getcwd(), list(sys.meta_path), list(sys.path), sys.stdout,
                        sys.stderr, list(threading.enumerate()), threading.excepthook)
    return found


def left(before):
    after = everything()
    return [key for key, value in before.items() if key not in after or (
        after[key] is not value and not (isinstance(key, str) or "value" in key[2:] or "set" in key[2:])
    ) or (isinstance(key, str) and after[key] != value)]


def nested(path):
    with depyf.prepare_debug(path / "a"), depyf.prepare_debug(path / "b"):
        program()
        with pytest.raises(KeyError), depyf.prepare_debug(path / "c"):
            raise KeyError


def after_an_exception(path):
    for kind in (ValueError, KeyboardInterrupt, GeneratorExit):
        with pytest.raises(kind), depyf.prepare_debug(path, clean_wild_fx_code=False):
            program()
            raise kind


def as_a_decorator(path):
    recorded = depyf.prepare_debug(path)(program)
    assert recorded() == recorded() == [2.0, 2.0]


def in_threads(path):
    def work(number):
        with depyf.prepare_debug(path / str(number), clean_wild_fx_code=False):
            time.sleep(0.01 * number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.filterwarnings("ignore::FutureWarning")  # torch's deprecated names are looked at too
@pytest.mark.parametrize("way", [nested, after_an_exception, as_a_decorator, in_threads])
def test_nothing_is_left_behind(way, tmp_path):
    program()
    with depyf.prepare_debug(tmp_path / "first", clean_wild_fx_code=False, log_bytecode=True):
        program()  # so that what torch imports and caches is there
    before, modules, lines = everything(), set(sys.modules), set(linecache.cache)
    way(tmp_path)
    assert left(before) == []
    assert session.active_recorders() == []
    new = {name for name in set(sys.modules) - modules if not name.startswith(("torch", "depyf."))}
    assert new == set()
    cached = {name for name in set(linecache.cache) - lines if "eval_with_key" not in name}  # torch's own
    assert [name for name in cached if not os.path.exists(name)] == []
