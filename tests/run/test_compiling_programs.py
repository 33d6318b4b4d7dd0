"""`depyf run` beside the interpreter, programs that compile: the same results, output, tracebacks and exit status."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

PROGRAMS = r"""
# ---- results
import hashlib, random, torch
torch.manual_seed(0)
random.seed(0)
net = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Dropout(0.5), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
@torch.compile(backend="aot_eager")
def step(x):
    loss = net(x).square().mean()
    if loss > 100:
        loss = loss / 2
    return loss
for size in (4, 5, 6):
    loss = step(torch.randn(size, 8))
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(loss.item().hex())
torch.save(net.state_dict(), "net.pt")
print(random.random(), torch.rand(1).item().hex(), hashlib.md5(open("net.pt", "rb").read()).hexdigest())
# ---- an exception after a graph break
import torch, warnings
def careful():
    warnings.warn("seen from here", stacklevel=2)
@torch.compile(backend="eager")
def f(x):
    y = x + 1
    torch._dynamo.graph_break()
    careful()
    if y.sum() > 0:
        raise ValueError("inside")
    return y
f(torch.ones(2))
# ---- what can't be compiled
import torch
@torch.compile(backend="eager", fullgraph=True)
def f(x):
    if x.sum() > 0:
        return x + 1
    return x
f(torch.ones(2))
# ---- nothing to compile
import torch
torch.compile(lambda: 1, backend="eager")()
# ---- an exit in a compiled function
import sys, torch
@torch.compile(backend="eager")
def f(x):
    y = x + 1
    sys.exit(6)
f(torch.ones(2))
# ---- workers
import torch
class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, number):
        return torch.full((2,), float(number))
@torch.compile(backend="eager")
def total(x):
    return x.sum()
if __name__ == "__main__":
    for method in ("fork", "spawn"):
        loader = torch.utils.data.DataLoader(Data(), batch_size=2, num_workers=1, multiprocessing_context=method)
        print(method, [total(batch).item() for batch in loader])
# ---- a fork that exits
import os, torch
f = torch.compile(lambda x: x + 1, backend="eager")
f(torch.ones(2))
child = os.fork()
if child == 0:
    print("child", f(torch.ones(3, 3)).sum().item(), flush=True)
    raise SystemExit(4)
print("parent", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
# ---- spawned
import torch, torch.multiprocessing
@torch.compile(backend="eager")
def f(x):
    return x + 1
def work(rank, size):
    print("rank", rank, f(torch.ones(size)).sum().item(), flush=True)
    if rank == 0:
        raise ValueError("this one fails")
if __name__ == "__main__":
    try:
        torch.multiprocessing.spawn(work, args=(3,), nprocs=1)
    except torch.multiprocessing.ProcessRaisedException as error:
        print(str(error).splitlines()[-1])
# ---- a whole model, saved
import copy, torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(2, 2)
    def forward(self, x):
        return self.linear(x)
torch.manual_seed(0)
net = Net()
net.compile(backend="eager")
net(torch.ones(1, 2))
torch.save(net, "whole.pt")
again = torch.load("whole.pt", weights_only=False)
print(type(again) is Net, again(torch.ones(1, 2)), copy.deepcopy(net)(torch.ones(1, 2)))
# ---- threads and a loop of events
import asyncio, threading, torch
@torch.compile(backend="eager")
def double(x):
    return x * 2
found = {}
def work(size):
    found[size] = double(torch.ones(size)).sum().item()
threads = [threading.Thread(target=work, args=(size,)) for size in range(2, 5)]
for one in threads:
    one.start()
for one in threads:
    one.join()
async def wait(size):
    await asyncio.sleep(0)
    return double(torch.ones(size)).sum().item()
async def main():
    return await asyncio.gather(*map(wait, (2, 3)))
print(sorted(found.items()), asyncio.run(main()))
"""
RANKS = """
import sys, torch, torch.distributed as dist
dist.init_process_group("gloo")
x = torch.compile(lambda x: x + dist.get_rank(), backend="eager")(torch.ones(2))
dist.all_reduce(x)
sys.stdout.write(f"{dist.get_rank()} {x.tolist()}\\n")
dist.destroy_process_group()
"""


def outcome(*words, folder, **variables):
    done = subprocess.run([sys.executable, *words], cwd=str(folder), capture_output=True, encoding="utf-8", timeout=120,
                          env={**os.environ, **variables})  # fmt: skip
    errors = re.sub(r"^[WEI]\d{4} \S+ \d+ ", "", done.stderr, flags=re.MULTILINE)  # of torch's log: when, and by whom
    return done.returncode, done.stdout, errors


TEXTS = dict(re.findall(r"^# ---- (.*)\n((?:(?!# ----).*\n)*)", PROGRAMS, re.MULTILINE))


@pytest.mark.parametrize("name", TEXTS)
def test_a_program_that_compiles_does_the_same(name, tmp_path):
    (tmp_path / "program.py").write_text(TEXTS[name])
    plain = outcome("program.py", folder=tmp_path)
    assert outcome("-m", "depyf", "run", "-q", "program.py", folder=tmp_path) == plain
    assert plain[1] or plain[2] or name == "nothing to compile"
    assert (tmp_path / "depyf_report" / "README.md").exists()


def test_ranks_do_the_same(tmp_path):
    (tmp_path / "program.py").write_text(RANKS)
    words = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    status, out, _ = outcome(*words, "program.py", folder=tmp_path)
    found = outcome(*words, "-m", "depyf", "run", "-q", "program.py", folder=tmp_path)
    assert (found[0], sorted(found[1].splitlines())) == (status, sorted(out.splitlines())) and status == 0
    assert "depyf" not in found[2]


def test_a_recording_that_cannot_begin_does_not_reach_the_program(tmp_path):
    (tmp_path / "program.py").write_text("import torch._dynamo\nprint('goes on')\n")
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['depyf.explain.recording.session'] = None\n")
    status, out, errors = outcome("-m", "depyf", "run", "program.py", folder=tmp_path, PYTHONPATH=str(tmp_path))
    assert (status, out) == (0, "goes on\n")
    assert errors.startswith("depyf run: no recording: ") and errors.count("\n") == 1
