"""A page with compilations for several states of torch picks that which Dynamo picks, and says what it cannot check."""

import json

import pytest
from forks import TORCH

pytest.importorskip("torch")

import torch

from depyf.explain.guards.state import deciding, state_words, undecided
from depyf.explain.model import CacheEntry, Frame, Guard
from depyf.explain.report.page.sections import dispatcher
from depyf.explain.torch_facts.torch_state import UNKNOWN, state_now, state_of, written_state

PROGRAM = '''
import contextlib
import importlib.util
import json
import os
import sys

import torch
from torch._dynamo.eval_frame import _debug_get_cache_entry_list

import depyf
from depyf.explain import dump_src

for name in ("cache_size_limit", "recompile_limit"):
    if hasattr(torch._dynamo.config, name):
        setattr(torch._dynamo.config, name, 64)


def f(x):
    return x * 2 + 1


class Mode(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


@contextlib.contextmanager
def with_setting(change, before, now):
    change(now)
    try:
        yield
    finally:
        change(before)


def tf32(is_on):
    torch.backends.cuda.matmul.allow_tf32 = is_on


tf32(False)  # from 2.15 on, that is another state than the one before it was set
threads = torch.get_num_threads()
MODES = {
    "plain": contextlib.nullcontext,
    "no_grad": torch.no_grad,
    "bfloat16": lambda: torch.autocast("cpu", dtype=torch.bfloat16),
    "float16": lambda: torch.autocast("cpu", dtype=torch.float16),
    "no cache": lambda: torch.autocast("cpu", dtype=torch.bfloat16, cache_enabled=False),
    "inference": torch.inference_mode,
    "deterministic": lambda: with_setting(torch.use_deterministic_algorithms, False, True),
    "float64": lambda: with_setting(torch.set_default_dtype, torch.float32, torch.float64),
    "threads": lambda: with_setting(torch.set_num_threads, threads, threads + 1),
    "tf32": lambda: with_setting(tf32, False, True),
    "device": lambda: torch.device("meta"),
    "mode": Mode,
    "no overrides": torch._C.DisableTorchFunctionSubclass,
    "nothing overridden": torch._C.DisableTorchFunction,
}
INPUTS = {
    "plain": torch.ones(4, 3), "marked": torch.ones(5, 3), "trained": torch.ones(4, 3, requires_grad=True),
}
torch._dynamo.mark_dynamic(INPUTS["marked"], 0)
with torch.inference_mode():
    INPUTS["of inference"] = torch.ones(4, 3)
CALLS = [(mode, "plain") for mode in MODES]
CALLS += [(mode, name) for name in list(INPUTS)[1:] for mode in ("plain", "no_grad")]

compiled = torch.compile(f, backend="eager")
with depyf.prepare_debug(sys.argv[1]):
    for mode, name in CALLS:
        with MODES[mode]():
            compiled(INPUTS[name])
recorded = os.path.join(sys.argv[1], "full_code_for_f_0.py")
inspected = os.path.join(sys.argv[1], "inspected.py")
with open(inspected, "w") as file:
    file.write(dump_src(compiled))
for path in (recorded, inspected):
    spec = importlib.util.spec_from_file_location("page", path)
    page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page)
    ran = []
    for name, function in list(vars(page).items()):
        if name.startswith(("__transformed_code", "__original_")):
            def noting(*args, _name=name, _function=function):
                ran.append(_name)
                return _function(*args)
            setattr(page, name, noting)
    for mode, name in CALLS:
        with MODES[mode]():
            compiled(INPUTS[name])
            hit = id(_debug_get_cache_entry_list(f.__code__)[0].code)  # Dynamo puts it in front
            page.f(INPUTS[name])
        print(json.dumps([os.path.basename(path), mode, name, hit, ran.pop()]))
'''


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    home = tmp_path_factory.mktemp("state")
    (home / "program.py").write_text(PROGRAM)
    done = TORCH.run(home / "program.py", home / "dump")
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads(line) for line in done.stdout.splitlines()], (home / "dump")


def test_a_page_picks_the_compilation_that_dynamo_picks(calls):
    found, home = calls
    for file in ("full_code_for_f_0.py", "inspected.py"):
        text = (home / file).read_text()
        pairs = {(hit, ran) for name, _, _, hit, ran in found if name == file}
        if "not checked here" not in text:  # up to 2.4 the state of the past can't be asked for
            assert len(pairs) == len({hit for hit, _ in pairs}) == len({ran for _, ran in pairs}) >= 10, pairs
    assert "not checked here" not in (home / "full_code_for_f_0.py").read_text()


def test_the_state_that_torch_writes():
    text = ('{"autocast_state":{"cached_enabled":true,"dtype":[15,5],"enabled":[true,false]},"default_dtype":7,'
            '"grad_mode":false,"num_threads":2}')  # fmt: skip
    state = written_state(text)
    assert state == {"grad_mode": "False", "default_dtype": "torch.float64", "num_threads": "2",
                     "autocast": "{'cpu': torch.bfloat16}", "autocast_cache": "True"}  # fmt: skip
    assert state_words(state) == (
        "global state: grad mode off, autocast on cpu to bfloat16, default dtype float64, 2 threads"
    )
    assert [written_state(text) for text in ("", "{}", "[]", "null", '{"autocast_state": 1}')] == [{}] * 5
    assert state_of(object()) == {}


def test_what_torch_refuses_to_tell_is_left_out(monkeypatch):
    def refuse():
        raise RuntimeError("PyTorch is checking whether allow_tf32_new is enabled")

    monkeypatch.setattr(torch._C, "_get_cublas_allow_tf32", refuse)
    assert "allow_tf32" not in state_now() and state_now()["grad_mode"] == "True"


def entry(number, state, *codes):
    guards = [Guard("___check_global_state()", "GLOBAL_STATE", is_bookkeeping=True)]
    guards += [Guard(code, "LAMBDA_GUARD", words=code, is_bookkeeping=True) for code in codes]
    name = f"__transformed_code_{number}_for_f"
    return CacheEntry(f"0/{number}", number, guards, state=state, transformed_name=name)


def test_what_decides_is_checked_and_what_cannot_be_is_said():
    marks = "hasattr(L['x'], '_dynamo_dynamic_indices') == False"
    one = entry(0, {"grad_mode": "True", "num_threads": "2", "allow_fp16_reduce": "0"}, marks)
    two = entry(1, {"grad_mode": "False", "num_threads": "4", "allow_fp16_reduce": "1"})
    assert deciding(one, [one]) == ["state_is()"]
    assert deciding(one, [one, two]) == ["state_is(num_threads=2)", marks]
    assert deciding(two, [one, two]) == ["state_is(grad_mode=False, num_threads=4)"]
    assert undecided(one, [one]) == []
    assert undecided(two, [one, two]) == ["allow_fp16_reduce is 1"]
    three = entry(2, {"grad_mode": "True", "default_dtype": UNKNOWN})
    assert undecided(three, [three]) == ["default_dtype is not known"]
    assert deciding(three, [three]) == ["state_is(default_dtype=...)"]
    assert "grad mode" in undecided(entry(3, {}), [])[0]


def test_what_dynamo_tries_first_comes_first():
    entries = [entry(number, {"grad_mode": "True"}) for number in range(3)]
    entries[0].tried, entries[1].tried, entries[2].tried = 1, 0, 2
    text = dispatcher(Frame("f", entries=entries))
    places = [text.index(f"__guard_{number}_for_f") for number in (1, 0, 2)]
    assert places == sorted(places)
