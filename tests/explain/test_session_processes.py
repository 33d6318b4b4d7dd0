"""Several processes and threads: each process that records has a folder of its own, and none disturbs another."""

import ast
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from depyf.explain.dump.processes import ProcessFolder

PROGRAM = '''
import logging
import multiprocessing
import os
import sys
import threading

logging.basicConfig(format="%(name)s: %(message)s", level=logging.WARNING)

import torch

import depyf


def f(x):
    y = x + 1
    torch._dynamo.graph_break()
    return y * 2


def g(x):
    return x * 3


def run(function):
    return torch.compile(function, backend="eager")(torch.ones(2)).tolist()

def child(answers):
    answers.put(run(g))

if __name__ == "__main__":
{}
'''


def lines_of(text):
    return "".join("    " + line for line in text.splitlines(keepends=True))


@pytest.fixture
def program(tmp_path):
    def run(text, *launcher, **options):
        file = tmp_path / "program.py"
        file.write_text(PROGRAM.format(lines_of(text)))
        environment = {**os.environ, **options.pop("env", {})}
        done = subprocess.run([sys.executable, *launcher, str(file)], capture_output=True, text=True, cwd=tmp_path,
                              timeout=300, env=environment)
        assert "Traceback" not in done.stderr, done.stderr
        assert "depyf:" not in done.stderr, done.stderr
        return done

    return run


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return str(found.getsockname()[1])


def files(directory, *pattern):
    return sorted(str(path.relative_to(directory)) for one in pattern for path in directory.glob(one))


def test_a_process_forked_by_hand_has_its_own_folder(program, tmp_path):
    done = program("""
with depyf.prepare_debug("dump"):
    first = run(f)
    process = os.fork()
    if process:
        assert os.waitpid(process, 0)[1] == 0
    else:
        print("child", run(g), flush=True)
print("end", first, flush=True)
os._exit(0) if process == 0 else None
""")
    assert done.returncode == 0
    assert sorted(done.stdout.splitlines()) == ["child [3.0, 3.0]", "end [4.0, 4.0]", "end [4.0, 4.0]"]
    assert files(tmp_path / "dump", "full_code*") == ["full_code_for_f_0.py"]
    assert files(tmp_path / "dump/process_0", "full_code*") == ["full_code_for_g_0.py"]
    assert "process_0" in (tmp_path / "dump/README.md").read_text()


def test_a_forked_process_which_compiles_nothing_leaves_the_dump_alone(program, tmp_path):
    done = program("""
with depyf.prepare_debug("dump"):
    run(f)
    process = os.fork()
    if process:
        os.waitpid(process, 0)
        run(g)
print("end")
""")
    assert done.returncode == 0
    assert files(tmp_path / "dump", "full_code*", "process_*") == ["full_code_for_f_0.py", "full_code_for_g_0.py"]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_of_multiprocessing(method, program, tmp_path):
    done = program("""
context = multiprocessing.get_context("{}")
with depyf.prepare_debug("dump"):
    run(f)
    answers = context.SimpleQueue()
    workers = [context.Process(target=child, args=(answers,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    print([answers.get() for _ in workers])
    for worker in workers:
        worker.join()
    print([worker.exitcode for worker in workers])
""".format(method))
    assert done.stdout.splitlines() == ["[[3.0, 3.0], [3.0, 3.0]]", "[0, 0]"]
    assert files(tmp_path / "dump", "full_code*") == ["full_code_for_f_0.py"]
    pages = ["process_0/full_code_for_g_0.py", "process_1/full_code_for_g_0.py"] if method == "fork" else []
    assert files(tmp_path / "dump", "process_*/full_code*") == pages


def test_a_forked_process_may_record_for_itself(program, tmp_path):
    done = program("""
def work():
    with depyf.prepare_debug("other"):
        run(g)

with depyf.prepare_debug("dump"):
    run(f)
    worker = multiprocessing.get_context("fork").Process(target=work)
    worker.start()
    worker.join()
    print(worker.exitcode)
""")
    assert done.stdout == "0\n"
    assert files(tmp_path, "*/full_code*", "*/process_*") == ["dump/full_code_for_f_0.py", "other/full_code_for_g_0.py"]


def test_workers_of_a_data_loader(program, tmp_path):
    done = program("""
class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        return torch.tensor(run(g)) * index

with depyf.prepare_debug("dump"):
    loader = torch.utils.data.DataLoader(Data(), num_workers=1, multiprocessing_context="fork")
    print([batch.tolist() for batch in loader])
    run(f)
""")
    assert done.stdout == "[[[0.0, 0.0]], [[3.0, 3.0]]]\n"
    assert files(tmp_path / "dump", "full_code*") == ["full_code_for_f_0.py"]
    assert files(tmp_path / "dump", "process_*/full_code*") == ["process_0/full_code_for_g_0.py"]


@pytest.mark.parametrize(
    "name, folder",
    [("dump", "dump/rank_1"), ("rank_1", "rank_1"), ("run-rank1", "run-rank1"), ("rank_1_dp_0", "rank_1_dp_0"),
     ("rank_0", "rank_0/rank_1"), ("rank_10", "rank_10/rank_1"), ("frank_1", "frank_1/rank_1")],
)
def test_a_folder_of_this_rank_is_used_as_it_is(name, folder, tmp_path, monkeypatch):
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    found = ProcessFolder(str(tmp_path / name))
    found.release()
    assert found.path == str(tmp_path / folder)
    assert found.ranks == (1 if name == folder else 2)


def test_two_ranks_have_a_folder_each(program, tmp_path):
    done = program("""
import os

torch.distributed.init_process_group("gloo")
rank = torch.distributed.get_rank()
with depyf.prepare_debug("dump"):
    result = torch.tensor(run(f)) * (rank + 1)
    torch.distributed.all_reduce(result)
    run(g)
assert result.tolist() == [12.0, 12.0]
torch.distributed.destroy_process_group()
os.write(1, "end {}{}".format(rank, os.linesep).encode())  # in one piece: the ranks share a pipe
""", "-m", "torch.distributed.run", "--nproc_per_node", "2", "--master_addr", "127.0.0.1", "--master_port",
                   free_port(), env={"OMP_NUM_THREADS": "1"})
    assert sorted(done.stdout.splitlines()) == ["end 0", "end 1"], done.stderr
    first, second = (files(tmp_path / "dump" / rank, "*") for rank in ("rank_0", "rank_1"))
    assert first == second and "full_code_for_f_0.py" in first and "README.md" in first
    assert files(tmp_path / "dump", "*") == ["README.md", "rank_0", "rank_1"]


def test_processes_which_record_into_one_directory_at_once(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM.format(lines_of("""
with depyf.prepare_debug("dump") as model:
    print(model.directory, flush=True)
    sys.stdin.readline()
    run(g)
""")))
    processes = []
    for _ in range(2):
        process = subprocess.Popen([sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, cwd=tmp_path)
        assert process.stdout.readline().startswith(str(tmp_path / "dump"))
        processes.append(process)
    assert [process.communicate("go\n", timeout=300)[1] for process in processes] == ["", ""]
    assert files(tmp_path / "dump", "full_code*", "*/full_code*") == [
        "full_code_for_g_0.py", "process_0/full_code_for_g_0.py"]


def test_two_threads_record_at_once(program, tmp_path):
    done = program("""
import torch.fx.graph_module as home

before = home._exec_with_source, list(torch._dynamo.convert_frame._bytecode_hooks)
barrier = threading.Barrier(4)

def work(number):
    barrier.wait()
    with depyf.prepare_debug("dump", clean_wild_fx_code=False):
        run(eval("lambda x: x + {}".format(number)))

logging.getLogger("depyf").setLevel(logging.ERROR)  # one recording for all, which the log says
threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert before == (home._exec_with_source, list(torch._dynamo.convert_frame._bytecode_hooks))
print("end")
""")
    assert done.stdout == "end\n"
    assert (tmp_path / "dump" / "README.md").exists()


OVERLAPPING = """
logging.getLogger("depyf").setLevel(logging.ERROR)  # which says who records when
begun, inside, left, models = threading.Event(), threading.Event(), threading.Event(), []

def first():
    with depyf.prepare_debug("one"):
        run(f)
        begun.set()
        inside.wait(60)
    left.set()

def second():
    begun.wait(60)
    with depyf.prepare_debug("{}") as model:
        inside.set()
        left.wait(60)
        run(g)
    print(sorted(frame.name for frame in model.frames))

threads = [threading.Thread(target=one) for one in (first, second)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
session = depyf.explain.recording.session
print(session.active_recorders(), session._waiting, session._owner)
"""


def test_a_thread_goes_on_where_the_recording_of_another_ends(program, tmp_path):
    done = program(OVERLAPPING.format("two"))
    assert done.stdout == "['g']\n[] [] []\n"
    assert files(tmp_path / "one", "full_code*") == ["full_code_for_f_0.py"]
    assert files(tmp_path / "two", "full_code*") == ["full_code_for_g_0.py"]
    assert "has not ended" not in (tmp_path / "one" / "README.md").read_text()


def test_threads_that_name_one_folder_share_the_recording(program, tmp_path):
    done = program(OVERLAPPING.format("one"))
    assert done.stdout == "['f', 'g', 'torch_dynamo_resume_in_f_at_17']\n[] [] []\n"
    assert files(tmp_path / "one", "full_code*") == ["full_code_for_f_0.py", "full_code_for_g_0.py"]
    index = (tmp_path / "one" / "README.md").read_text()
    assert "Functions compiled: `f`, `g`" in index


def test_a_thread_whose_block_ends_first_has_seen_the_model_of_the_other(program, tmp_path):
    done = program("""
logging.getLogger("depyf").setLevel(logging.ERROR)
seen = []

def work():
    with depyf.prepare_debug("two") as model:
        run(g)
        seen.append([frame.name for frame in model.frames])

with depyf.prepare_debug("one") as outer:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
print(seen, [frame.name for frame in outer.frames], depyf.explain.recording.session._waiting)
""")
    assert done.stdout == "[['g']] ['g'] []\n"
    assert not (tmp_path / "two").exists()


def test_a_block_which_nobody_leaves_ends_with_the_process(program, tmp_path):
    done = program("""
recording = depyf.prepare_debug("dump")
recording.__enter__()
run(f)
raise SystemExit(5)
""")
    assert done.returncode == 5
    assert files(tmp_path / "dump", "full_code*") == ["full_code_for_f_0.py"]
    assert "has not ended" not in (tmp_path / "dump" / "README.md").read_text()


def test_a_killed_process_leaves_files_which_can_be_read(program, tmp_path):
    done = program("""
with depyf.prepare_debug("dump"):
    run(f)
    def backend(graph, inputs):
        os.kill(os.getpid(), {})
    torch.compile(g, backend=backend)(torch.ones(2))
""".format(int(signal.SIGKILL)))
    assert done.returncode == -signal.SIGKILL
    dump = tmp_path / "dump"
    assert "has not ended" in (dump / "README.md").read_text()
    assert files(dump, "__transformed_code_0_for_f.py") and len(files(dump, "__compiled_fn_*.py")) >= 3
    for path in dump.iterdir():
        assert path.suffix in (".py", ".md")
        if path.suffix == ".py":
            ast.parse(path.read_text())
    done = program('with depyf.prepare_debug("dump"):\n    run(f)\n')  # the folder is free again
    assert done.returncode == 0
    assert "has not ended" not in Path(dump / "README.md").read_text()
    assert not files(dump, "process_*")
