"""What the tests of debuggers run: `debugged_program.py BACKEND DIRECTORY [after [PORT]]`.

Records both branches; with `after`, calls the function again under `depyf.debug()`, with a port when a debugger has
attached there. Tests find lines by their text.
"""

import sys

import torch

import depyf


def halved(x):
    half = x / 2
    return half


def toy_example(a, b):
    x = a / (torch.abs(a) + 1)
    count = 3
    if b.sum() < 0:
        b = b * -count
    return halved(x) * b


def unrelated(a):
    return a + 1


compiled = torch.compile(toy_example, backend=sys.argv[1])
other = torch.compile(unrelated, backend=sys.argv[1])


def run():
    for sign in (1, -1):
        print("result", compiled(torch.ones(10), sign * torch.ones(10)).sum().item(), other(torch.ones(1)).item())


with depyf.prepare_debug(sys.argv[2]):
    run()
if sys.argv[4:]:
    import debugpy

    debugpy.listen(("127.0.0.1", int(sys.argv[4])))
    debugpy.wait_for_client()
if sys.argv[3:]:
    compiled_before = torch._dynamo.utils.counters["stats"]["unique_graphs"]
    with depyf.debug():
        run()
    print("compiled again", torch._dynamo.utils.counters["stats"]["unique_graphs"] - compiled_before)
    result = compiled(torch.ones(10), torch.ones(10)).sum().item()
    print("as before", toy_example.__code__.co_filename == __file__, result)
print("graphs", torch._dynamo.utils.counters["stats"]["unique_graphs"])
