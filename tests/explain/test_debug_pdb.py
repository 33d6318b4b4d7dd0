"""`depyf.debug()`: a real pdb, fed from standard input, stops in the files of the dump."""

import os
import re
import subprocess
import sys

import pytest

import depyf

PROGRAM = '''
import sys
import torch
import depyf


@torch.compile(backend=sys.argv[1])
def toy_example(a, b):
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


with depyf.prepare_debug(sys.argv[2]):
    toy_example(torch.ones(10), torch.ones(10))
    toy_example(torch.ones(10), -torch.ones(10))
with depyf.debug():
    for _ in range(2):
        print("result", toy_example(torch.ones(10), torch.ones(10)).sum().item())
    print("other shape", toy_example(torch.ones(4), torch.ones(4)).sum().item())
print("graphs", torch._dynamo.utils.counters["stats"]["unique_graphs"])
'''


def debugged(tmp_path, backend, commands):
    program = tmp_path / "toy.py"
    program.write_text(PROGRAM)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONBREAKPOINT"}
    done = subprocess.run(
        [sys.executable, str(program), backend, str(tmp_path / "dump")],
        input="".join(command + "\n" for command in commands).encode(),
        capture_output=True, timeout=300, env=environment,
    )
    output = done.stdout.decode()
    assert done.returncode == 0, output + done.stderr.decode()[-2000:]
    return output


def test_without_a_terminal_the_block_runs(tmp_path):
    output = debugged(tmp_path, "eager", [])
    assert "Nobody answers" in output
    assert output.count("result") == 2 and "graphs" in output


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_a_breakpoint_in_transformed_code_is_hit_and_stepped(tmp_path, backend):
    path = tmp_path / "dump" / "__transformed_code_0_for_toy_example.py"
    line = number_of(tmp_path, backend, path, " if ")  # behind the graph, on every torch
    tensors = "p ('tensors', sorted(v.dim() for v in list(locals().values()) if hasattr(v, 'dim'))[:2])"
    show = ["p ('a', a.sum().item())", tensors, "n", "w"]
    output = debugged(tmp_path, backend, ["b {}:{}".format(path, line), "c", *show, "cl 1", "c"])
    assert "> {}({})toy_example()".format(path, line) in output
    assert "('a', 10.0)" in output
    assert "('tensors', [0, 1])" in output
    assert re.search(r"> {}\((?!{}\))\d+\)toy_example\(\)".format(re.escape(str(path)), line), output)
    assert output.count("result 5.0") == 2


def number_of(tmp_path, backend, path, text):
    """The line with `text` in a file of the dump. Two runs write equal files, so one run tells it for the next."""
    if not path.exists():
        debugged(tmp_path, backend, ["c"])
    lines = path.read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


@pytest.mark.parametrize(
    ("backend", "stage", "text", "value"),
    [
        ("eager", "Captured_Graph", " sum_1", "x"),
        ("aot_eager", "Forward_graph", " sum_1", "div"),
    ],
)
def test_a_breakpoint_in_a_graph_file_is_hit_and_stepped(tmp_path, backend, stage, text, value):
    debugged(tmp_path, backend, ["c"])
    path = sorted((tmp_path / "dump").glob("__compiled_fn_*.{}.0.py".format(stage)))[0]  # its number: torch's affair
    line = number_of(tmp_path, backend, path, text)
    show = ["p ('value', {}.sum().item())".format(value), "n", "p ('next', sum_1.item())"]
    output = debugged(tmp_path, backend, ["b {}:{}".format(path, line), "c", *show, "cl 1", "c"])
    assert "Breakpoint 1 at {}:{}".format(path, line) in output
    assert "> {}({})forward()".format(path, line) in output
    assert "('value', 5.0)" in output
    assert "('next', 10.0)" in output
    assert output.count("result 5.0") == 2


def test_in_the_block_nothing_new_is_compiled(tmp_path):
    output = debugged(tmp_path, "eager", ["c"])
    assert "result 5.0" in output and "other shape 2.0" in output
    assert "graphs 3" in output


def test_not_inside_a_recording(tmp_path):
    with depyf.prepare_debug(str(tmp_path)), pytest.raises(RuntimeError, match="prepare_debug"), depyf.debug():
        pass


def test_stops_once_and_puts_torch_back(monkeypatch, capsys):
    import torch

    stops = []
    monkeypatch.setattr(sys, "breakpointhook", lambda *_, **__: stops.append(1))
    def mode():
        module = torch._dynamo.eval_frame
        return module._stance.stance if hasattr(module, "_stance") else module.set_eval_frame

    before = mode()
    with pytest.raises(KeyError), depyf.debug():
        assert mode() != before
        raise KeyError
    assert stops == [1]
    assert mode() == before
    assert "depyf stops here" in capsys.readouterr().out
