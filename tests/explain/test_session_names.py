"""Names with and without uuids, numbered files, texts made equal between runs."""

import errno
import os
import time
import types

import pytest

from depyf.explain.dump.dump_directory import DumpDirectory, write_index
from depyf.explain.graphs.files import stage_of
from depyf.explain.kernels.files import kernel_text, point_functions_at_file
from depyf.explain.transformed.global_names import NameClash, with_names, with_own_name, without_uuids

UUID = "_4d650e95_1fb7_431d_8049_05e4a6182eb1"


def code_of(source):
    namespace = {}
    exec(source, namespace)
    return namespace["f"].__code__


def test_names_are_exchanged_and_back():
    code = code_of("def f(a):\n    return __compiled_fn_1{0}(a), lambda: __compiled_fn_1{0}\n".format(UUID))
    real_name = without_uuids(code)
    assert real_name == {"__compiled_fn_1": "__compiled_fn_1" + UUID}
    clean = with_names(code, {real: name for name, real in real_name.items()})
    assert "__compiled_fn_1" in clean.co_names
    inner = [constant for constant in clean.co_consts if isinstance(constant, types.CodeType)]
    assert inner[0].co_names == ("__compiled_fn_1",)
    assert with_names(clean, real_name) == code


def test_a_lambda_becomes_a_function_and_back():
    code = (lambda a: a).__code__
    named = with_own_name(code, "lambda_")
    assert named.co_name == "lambda_" and named.co_code == code.co_code
    assert getattr(named, "co_qualname", "x.lambda_").endswith(".lambda_")
    assert with_own_name(named, "<lambda>") == code
    assert with_own_name(code, "<lambda>") is code


def test_code_without_uuids_is_left_alone():
    code = code_of("def f(a):\n    return __resume_at_102_2(a)\n")
    assert without_uuids(code) == {}
    assert with_names(code, {}) is code


def test_two_names_that_would_become_one_are_refused():
    with pytest.raises(NameClash):
        without_uuids(code_of("def f(a):\n    return __compiled_fn_1{}(__compiled_fn_1)\n".format(UUID)))


@pytest.mark.parametrize(
    ("title", "current", "expected"),
    [
        ("__compiled_fn_3" + UUID, "__compiled_fn_1", ("__compiled_fn_3", "Captured_Graph")),
        ("__compiled_fn_3", "__compiled_fn_1", ("__compiled_fn_3", "Captured_Graph")),
        ("Forward graph", "__compiled_fn_1", ("__compiled_fn_1", "Forward_graph")),
        ("AFTER POST GRAD", "__compiled_fn_1", ("__compiled_fn_1", "AFTER_POST_GRAD")),
        ("Forward graph: {'a': 1}", "__compiled_fn_1", ("__compiled_fn_1", "Forward_graph")),
        ("pre some_pass __compiled_fn_3" + UUID, "__compiled_fn_1", ("__compiled_fn_3", "pre_some_pass")),
    ],
)
def test_titles_of_graphs(title, current, expected):
    assert stage_of(title, current) == expected


def test_numbers_count_per_name(tmp_path):
    dump = DumpDirectory(str(tmp_path / "new" / "dump"))
    paths = [dump.reserve("a_{}.py"), dump.reserve("a_{}.py"), dump.reserve("b_{}.py")]
    assert [os.path.basename(path) for path in paths] == ["a_0.py", "a_1.py", "b_0.py"]
    dump.write(paths[0], "x = 1\n")
    assert os.listdir(dump.path) == ["a_0.py"]


def test_files_of_an_earlier_process_are_replaced_and_those_of_this_one_kept(tmp_path):
    old, young = tmp_path / "a_0.py", tmp_path / "b_0.py"
    old.write_text("old")
    os.utime(str(old), (time.time() - 9e6, time.time() - 9e6))
    young.write_text("by another rank")
    dump = DumpDirectory(str(tmp_path))
    assert os.path.basename(dump.reserve("a_{}.py")) == "a_0.py"
    assert os.path.basename(dump.reserve("b_{}.py")) == "b_1.py"
    dump.close()
    again = DumpDirectory(str(tmp_path))
    assert os.path.basename(again.reserve("a_{}.py")) == "a_1.py"


def test_a_failed_write_leaves_nothing_behind(tmp_path, monkeypatch):
    dump = DumpDirectory(str(tmp_path))

    def full(*_, **__):
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="no space left"):
        dump.write(dump.reserve("a_{}.py"), "text")
    assert os.listdir(str(tmp_path)) == []


def test_kernels_lose_what_changes_from_run_to_run_and_keep_their_lines():
    source = "a = 1\n# /tmp/torchinductor_me/ab/c{}.py\n# at 0x7fc16af798a0\n".format("a2" * 25)
    text = kernel_text(source, ["about\nit", "  a row"])
    assert text.splitlines() == ["# about it", "#   a row", "a = 1", "# <inductor cache>/ab/<hash>.py", "# at 0x0"]


def test_functions_of_a_module_are_given_their_file(tmp_path):
    source = "def call(x):\n    return helper(lambda: x)\n\ndef helper(f):\n    return f()\n\nclass Runner:\n" \
        "    def go(self):\n        raise ValueError\n\ngo = Runner().go\n"
    module = types.ModuleType("generated")
    exec(compile(source, "/somewhere/cabc.py", "exec"), module.__dict__)
    module.foreign = os.path.join
    changed = point_functions_at_file(module, "/somewhere/cabc.py", str(tmp_path / "kernel_0.py"))
    assert changed == 3
    assert module.call(3) == 3
    assert module.call.__code__.co_filename == str(tmp_path / "kernel_0.py")
    assert module.call.__code__.co_firstlineno == 2
    assert module.foreign.__code__.co_filename == os.path.join.__code__.co_filename
    with pytest.raises(ValueError) as caught:
        module.go()
    assert caught.traceback[-1].lineno == 9  # pytest counts from 0: line 10 of the file, 9 of the source


@pytest.mark.parametrize("to", ["file", "gone", "."])
def test_links_in_a_dump_are_replaced(to, tmp_path):
    """Another user may have put them there: under the name of a file, or of the file that it is at first."""
    elsewhere, folder = tmp_path / "elsewhere", tmp_path / "dump"
    elsewhere.mkdir()
    folder.mkdir()
    (elsewhere / "file").write_text("not yours")
    for name in ("README.md", "a_0.py", f"a_0.py.{os.getpid()}.part", f"README.md.{os.getpid()}.part"):
        os.symlink(elsewhere / to, folder / name)
        os.utime(folder / name, (0, 0), follow_symlinks=False)
    dump = DumpDirectory(str(folder))
    dump.begin()
    dump.write(str(folder / "a_0.py"), "text")
    dump.close()
    assert os.listdir(elsewhere) == ["file"] and (elsewhere / "file").read_text() == "not yours"
    assert (folder / "a_0.py").read_text() == "text" and not (folder / "README.md").is_symlink()


@pytest.mark.parametrize("rank", [False, True])
def test_no_folder_of_a_process_is_a_link(rank, tmp_path, monkeypatch):
    folder, elsewhere = tmp_path / "dump", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    os.symlink(elsewhere, folder / ("rank_1" if rank else "process_0"))
    if rank:
        monkeypatch.setenv("RANK", "1")
        monkeypatch.setenv("WORLD_SIZE", "2")
    first = None if rank else DumpDirectory(str(folder))
    with pytest.raises(OSError, match="is a link"):
        DumpDirectory(str(folder))
    if first is not None:
        first.close()
    assert os.listdir(elsewhere) == []


def test_a_full_disk_does_not_write_the_index_through_a_link(tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "no space left on device")

    (tmp_path / "elsewhere").write_text("not yours")
    (tmp_path / "dump").mkdir()
    os.symlink(tmp_path / "elsewhere", tmp_path / "dump" / "README.md")
    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match=r"no space left|symbolic"):
        write_index(str(tmp_path / "dump" / "README.md"), "text")
    assert (tmp_path / "elsewhere").read_text() == "not yours"


def test_what_a_killed_process_left_in_a_dump_is_removed(tmp_path):
    (tmp_path / ".depyf-0123456789abcdef.part").touch()
    (tmp_path / "mine.part").touch()
    DumpDirectory(str(tmp_path)).close()
    assert os.listdir(tmp_path) == ["mine.part"]
