"""`depyf.batch.decompile`: any inputs, any executor; records as lines of JSON; URLs; a cluster."""

from __future__ import annotations

import itertools
import json
import pickle
import sys
import types
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest
from made_archives import pyc, zip_of

from depyf import batch
from depyf.batch import urls
from depyf.batch.results import Results
from depyf.errors import DepyfError

TEXTS = [f"x = {number}\n".encode() for number in range(5)]


class Elsewhere(ThreadPoolExecutor):
    """As a process of another machine: what goes there, and what comes back, is pickled."""

    def __init__(self):
        super().__init__(2)
        self.sent = 0

    def submit(self, function, *arguments):
        data = pickle.dumps((function, arguments))
        self.sent += 1
        return super().submit(self._run, data)

    @staticmethod
    def _run(data):
        function, arguments = pickle.loads(data)
        return pickle.loads(pickle.dumps(function(*arguments)))


@pytest.fixture
def inputs(tmp_path):
    for number, text in enumerate(TEXTS[:2]):
        (tmp_path / f"m{number}.pyc").write_bytes(pyc(text))
    (tmp_path / "a.whl").write_bytes(zip_of([("p/m2.pyc", pyc(TEXTS[2])), ("p/m3.pyc", pyc(TEXTS[3]))]))
    return [str(tmp_path / "m0.pyc"), tmp_path / "m1.pyc", tmp_path / "a.whl", ("m4.pyc", pyc(TEXTS[4]))]


def texts(outcomes):
    lines = ((one.text or one.error).splitlines() for one in outcomes)
    return {"".join(line + "\n" for line in some if line[:1] != "#") for some in lines}


def test_every_kind_of_input_and_executor(inputs):
    expected = {text.decode() for text in TEXTS}
    assert texts(batch.decompile(inputs, processes=2)) == expected
    with Elsewhere() as executor:
        assert texts(batch.decompile(inputs, executor=executor)) == expected
        assert executor.sent == 5


def test_files_are_read_here_and_not_there(inputs, tmp_path):
    """The tasks of an executor have the content of their files."""
    from depyf.batch.tasks import items, task_of

    targets = [*inputs, f"{tmp_path}/a.whl:p/m2.pyc", f"{tmp_path}/m0.pyc"]
    tasks = [task_of(item, elsewhere=True) for item in items(targets, None)]
    assert [task.data is not None for task in tasks] == [True] * 7


def test_inputs_are_taken_as_they_are_processed(inputs):
    taken = 0

    def endless():
        nonlocal taken
        for number in itertools.count():
            taken += 1
            yield f"{number}.pyc", pyc(TEXTS[0])

    with ThreadPoolExecutor(2) as executor:
        found = batch.decompile(endless(), executor=executor)
        assert all(next(found).proven for _ in range(20))
        found.close()
    assert taken < 500


def test_an_executor_that_breaks_costs_its_files_alone(inputs):
    class Broken(ThreadPoolExecutor):
        def submit(self, function, task, options):
            future = super().submit(function, task, options)
            if task.path.endswith("m3.pyc"):
                future = Future()
                future.set_exception(BrokenProcessPool("it died"))
            return future

    with Broken(1) as executor:
        outcomes = list(batch.decompile(inputs, executor=executor))
    assert [one.error for one in outcomes if one.error] == [
        "the executor has no outcome of it: BrokenProcessPool: it died"
    ]
    assert len(outcomes) == 5


def test_a_folder_is_written_and_kept(inputs, tmp_path):
    out = tmp_path / "out"
    first = list(batch.decompile(inputs[:3], out, processes=1))
    again = list(batch.decompile(inputs[:3], out, processes=1))
    assert [sum(one.was_there for one in outcomes) for outcomes in (first, again)] == [0, 4]
    assert {str(path.relative_to(out)) for path in out.rglob("*.py")} == {
        "m0.py", "m1.py", "a.whl/p/m2.py", "a.whl/p/m3.py"
    }  # fmt: skip


def test_records_as_lines(inputs, tmp_path, run_depyf):
    (tmp_path / "bad.pyc").write_bytes(b"bad")
    done = run_depyf("decompile", "a.whl", "bad.pyc", "m0.pyc", "-o", "out", "--results", "out/all.jsonl")
    assert done.returncode == 1, done.stderr
    records = [json.loads(line) for line in (tmp_path / "out" / "all.jsonl").read_text().splitlines()]
    assert sorted(one["path"] for one in records) == ["a.whl/p/m2.pyc", "a.whl/p/m3.pyc", "bad.pyc", "m0.pyc"]
    assert [one["path"] for one in records if one["error"]] == ["bad.pyc"]
    assert all("source" not in one for one in records)


def test_a_run_that_ends_early_leaves_no_records(tmp_path):
    with pytest.raises(KeyboardInterrupt), Results(str(tmp_path / "all.jsonl")):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(DepyfError, match=r"NAME\.jsonl or NAME\.parquet"):
        Results("all.csv")


@pytest.fixture
def memory(monkeypatch):
    """A stand-in for fsspec: files in a dictionary, by their URLs."""
    files = {}

    class System:
        def isdir(self, path):
            return path not in files and any(name.startswith(path + "/") for name in files)

        def get(self, path, to, recursive):
            for name in [name for name in files if name == path or recursive and name.startswith(path + "/")]:
                target = Path(to + name[len(path) :])
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(files[name])
            if not any(name == path or name.startswith(path + "/") for name in files):
                raise FileNotFoundError(path)

        def makedirs(self, path, exist_ok):
            pass

        def pipe_file(self, path, data):
            files[path] = data

    core = types.ModuleType("fsspec.core")
    core.url_to_fs = lambda url: (System(), url)
    monkeypatch.setitem(sys.modules, "fsspec", types.ModuleType("fsspec"))
    monkeypatch.setitem(sys.modules, "fsspec.core", core)
    return files


def test_urls(memory, tmp_path, capsys):
    from depyf.cli import main

    memory["mem://in/a.whl"] = zip_of([("p/m.pyc", pyc(TEXTS[2]))])
    memory["mem://in/d/n.pyc"] = pyc(TEXTS[3])
    assert main(["decompile", "mem://in/a.whl", "mem://in/d", "-o", "mem://out"]) == 0, capsys.readouterr()
    assert memory["mem://out/a.whl/p/m.py"].startswith(TEXTS[2])
    assert memory["mem://out/d/n.py"].startswith(TEXTS[3])
    [one, other] = batch.decompile(["mem://in/a.whl", "mem://in/d/n.pyc"], processes=1)
    assert {one.path, other.path} == {"mem://in/a.whl/p/m.pyc", "mem://in/d/n.pyc"}
    assert main(["verify", "mem://in/a.whl"]) == 2
    assert "mem://in/a.whl/p/m.pyc: no source" in capsys.readouterr().out
    assert main(["decompile", "mem://in/none.pyc", "-o", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err == "depyf: can't reach mem://in/none.pyc: FileNotFoundError: mem://in/none.pyc\n"


def test_what_is_a_url():
    assert [urls.is_url(text) for text in ("s3://b/x", "zip::s3://b", "a.whl:m.pyc", "C:/x", "m:f", ("a", b""))] == [
        True, True, False, False, False, False,
    ]  # fmt: skip


@pytest.fixture
def cluster(monkeypatch):
    """A stand-in for Dask's client, whose executor is as far away as a cluster's."""
    made = []

    class Client:
        def __init__(self, address, **options):
            if address != "tcp://here:1":
                raise OSError("timed out")

        def get_executor(self, **options):
            made.append(Elsewhere())
            return made[-1]

        def close(self):
            made[-1].shutdown()

    module = types.ModuleType("distributed")
    module.Client = Client
    monkeypatch.setitem(sys.modules, "distributed", module)
    return made


def test_a_cluster(cluster, inputs, tmp_path, monkeypatch, capsys):
    from depyf.cli import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "m0.py").write_bytes(TEXTS[0])
    assert main(["decompile", "a.whl", "m1.pyc", "-o", "out", "--scheduler", "tcp://here:1"]) == 0
    assert cluster[-1].sent == 3 and len(list((tmp_path / "out").rglob("*.py"))) == 3
    alone = main(["verify", "a.whl", "m0.pyc", "--json"]), capsys.readouterr().out
    there = main(["verify", "a.whl", "m0.pyc", "--json", "--scheduler", "tcp://here:1"]), capsys.readouterr().out
    assert there == alone
    assert cluster[-1].sent == 3
    assert main(["verify", "a.whl", "--scheduler", "tcp://gone:1"]) == 2
    assert capsys.readouterr().err == "depyf: no scheduler of Dask answers at tcp://gone:1: timed out\n"


def test_without_dask(monkeypatch, capsys):
    from depyf.cli import main

    monkeypatch.setitem(sys.modules, "distributed", None)
    assert main(["verify", "x", "--scheduler", "a:1"]) == 2
    assert "pip install 'depyf-proven[dask]'" in capsys.readouterr().err
