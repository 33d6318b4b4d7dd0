"""A forked process that compiles, and exits with a status of its own."""

import os

import torch

f = torch.compile(lambda x: x + 1, backend="eager")
f(torch.ones(2))
child = os.fork()
if child == 0:
    print("child", f(torch.ones(3, 3)).sum().item(), flush=True)
    raise SystemExit(4)
print("parent", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
