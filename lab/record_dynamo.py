"""Records the code objects that Dynamo makes of the programs in dynamo_programs.py, as data for the tests.

    python lab/record_dynamo.py tests/cases/dynamo/py311_torch213.json

The file name says which Python and torch made it: the bytecode is that version's. Constants that are no literals
become markers with a name, the unique parts of Dynamo's names are cut: two runs give the same file.
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
import re
import sys
import types
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from dynamo_programs import PROGRAMS

UUID = re.compile(r"_[0-9a-f]{8}_[0-9a-f]{4}_[0-9a-f]{4}_[0-9a-f]{4}_[0-9a-f]{12}")
FIELDS = (
    "argcount", "posonlyargcount", "kwonlyargcount", "nlocals", "stacksize", "flags", "varnames", "name", "qualname",
    "firstlineno", "freevars", "cellvars",
)  # fmt: skip


def code_as_data(code: types.CodeType) -> dict[str, Any]:
    data: dict[str, Any] = {field: getattr(code, "co_" + field) for field in FIELDS}
    data["names"] = [UUID.sub("", name) for name in code.co_names]
    for field in ("code", "linetable", "exceptiontable"):
        data[field] = base64.b64encode(getattr(code, "co_" + field)).decode()
    data["consts"] = [constant_as_data(constant) for constant in code.co_consts]
    return data


def constant_as_data(value: Any) -> Any:
    """A pair of kind and data."""
    if isinstance(value, types.CodeType):
        return ["code", code_as_data(value)]
    if type(value) in (tuple, frozenset):
        items = sorted(value, key=repr) if type(value) is frozenset else value
        return [type(value).__name__, [constant_as_data(item) for item in items]]
    if value is None or type(value) in (bool, int, float, complex, str, bytes) or value is Ellipsis:
        return ["literal", repr(value)]
    if type(value) is dict and "__name__" in value:
        return ["globals", value["__name__"]]
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None) or repr(value)
    return ["object", type(value).__name__, re.sub(r" at 0x[0-9a-f]+", "", str(name))]


def record(name: str, run: Any) -> list[types.CodeType]:
    codes: list[types.CodeType] = []
    torch._dynamo.reset()
    torch.manual_seed(0)
    handle = torch._dynamo.convert_frame.register_bytecode_hook(lambda old, new: codes.append(new))
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            run(lambda function: torch.compile(function, backend="eager"))
    except Exception as error:
        print(f"{name}: {type(error).__name__}: {str(error).splitlines()[0]}", file=sys.stderr)
    finally:
        handle.remove()
    return codes


def main(path: str) -> None:
    rows = []
    for name, run in PROGRAMS.items():
        codes = record(name, run)
        rows += [{"program": name, "code": code_as_data(code)} for code in codes]
    with open(path, "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "\n]\n")
    print(f"{len(rows)} codes of {len(PROGRAMS)} programs")


if __name__ == "__main__":
    main(sys.argv[1])
