"""`depyf.install()`: the source of Dynamo's bytecode in torch's own log, behind the bytecode."""

import os
import re
import subprocess
import sys

PROGRAM = '''
import torch, depyf

depyf.uninstall()
depyf.install()
depyf.install()


@torch.compile(backend="eager")
def shown(a, b):
    return a + b


@torch.compile(backend="eager")
def hidden(a, b):
    return a - b


print(shown(torch.ones(2), torch.ones(2)).tolist())
depyf.uninstall()
depyf.uninstall()
print(hidden(torch.ones(2), torch.ones(2)).tolist(), len(torch._dynamo.convert_frame._bytecode_hooks))
'''


def run(tmp_path, logs):
    (tmp_path / "program.py").write_text(PROGRAM)
    environment = {name: value for name, value in os.environ.items() if name != "TORCH_LOGS"}
    if logs:
        environment["TORCH_LOGS"] = logs
    done = subprocess.run([sys.executable, str(tmp_path / "program.py")], capture_output=True,
                          timeout=300, env=environment)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    assert done.stdout.decode().splitlines() == ["[2.0, 2.0]", "[0.0, 0.0] 0"]
    return done.stderr.decode()


def test_the_log_shows_the_source_behind_the_bytecode(tmp_path):
    log = run(tmp_path, "+bytecode")
    assert log.count("MODIFIED BYTECODE") == 2
    assert log.count("DECOMPILED SOURCE") == 1
    assert log.index("MODIFIED BYTECODE shown") < log.index("DECOMPILED SOURCE shown")
    assert "DECOMPILED SOURCE hidden" not in log
    source = log[log.index("DECOMPILED SOURCE shown") : log.index("ORIGINAL BYTECODE hidden")]
    assert re.search(r"__compiled_fn_\d", source)


def test_without_the_log_it_does_nothing(tmp_path):
    assert "DECOMPILED SOURCE" not in run(tmp_path, "")
