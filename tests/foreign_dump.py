"""Run by any CPython from 3.7 on: compile snippets, write their .pyc file, and say what its code objects hold.

    pythonX.Y foreign_dump.py SNIPPETS OUTPUT.pyc     prints JSON

Snippets are separated by lines '# ---'; those that are no Python for this version are left out. The readers' tests
import ``describe`` to put what depyf read into the same form.
"""

from __future__ import annotations

import dis
import importlib.util
import json
import marshal
import struct
import sys

SEPARATOR = "# ---\n"
FIELDS = (
    "name", "firstlineno", "argcount", "posonlyargcount", "kwonlyargcount", "flags", "names", "varnames", "cellvars",
    "freevars", "stacksize", "filename",
)  # fmt: skip


def describe(value, code):
    """``value``, a constant, as JSON that tells types, signs of zero and bits of a float; ``code`` does code."""
    kind = type(value).__name__
    if isinstance(value, (tuple, list)):
        return [kind] + [describe(item, code) for item in value]
    if isinstance(value, (set, frozenset)):
        return [kind, *sorted((describe(item, code) for item in value), key=json.dumps)]
    if isinstance(value, dict):
        return [kind] + [[describe(key, code), describe(item, code)] for key, item in value.items()]
    if isinstance(value, slice):
        return [kind] + [describe(item, code) for item in (value.start, value.stop, value.step)]
    if isinstance(value, float):
        return [kind, struct.pack("<d", value).hex()]
    if isinstance(value, complex):
        return [kind, struct.pack("<dd", value.real, value.imag).hex()]
    if isinstance(value, bytes):
        return [kind, value.hex()]
    if isinstance(value, int):
        return [kind, hex(value)]
    if value is None or value is Ellipsis or value is StopIteration:
        return [repr(value)]
    if isinstance(value, str):
        return [kind, value]
    return code(value)


def fields(code):
    """The fields of a live code object, and what the interpreter says of its lines, columns, handlers and locals."""
    found = {field: getattr(code, "co_" + field, 0) for field in FIELDS}
    found["bytecode"] = code.co_code.hex()
    found["consts"] = [describe(value, fields) for value in code.co_consts]
    found["qualname"] = getattr(code, "co_qualname", None)
    units = len(code.co_code) // 2
    if hasattr(code, "co_positions"):
        found["positions"] = list(code.co_positions())
    else:
        found["positions"] = [[line, None, None, None] for line in lines(code, units)]
    parse = getattr(dis, "_parse_exception_table", None)
    found["handlers"] = [[e.start, e.end, e.target, e.depth, e.lasti] for e in parse(code)] if parse else []
    if hasattr(code, "_varname_from_oparg"):
        count = len(set(code.co_varnames + code.co_cellvars)) + len(code.co_freevars)
        found["localsplus"] = [code._varname_from_oparg(number) for number in range(count)]
    found["inner_qualnames"] = [] if hasattr(code, "co_qualname") else inner_qualnames(code)
    return found


def lines(code, units):
    """The line of each code unit, before 3.11."""
    if hasattr(code, "co_lines"):
        found = [None] * units
        for start, end, line in code.co_lines():
            found[start // 2 : end // 2] = [line] * (end // 2 - start // 2)
        return found
    starts = dict(dis.findlinestarts(code))
    line, found = code.co_firstlineno, []
    for unit in range(units):
        line = starts.get(2 * unit, line)
        found.append(line)
    return found


def inner_qualnames(code):
    """Before 3.11, MAKE_FUNCTION pops the qualified name: the names of the functions (not classes) made here."""
    found, before = [], []
    for instruction in dis.get_instructions(code):
        if instruction.opname == "MAKE_FUNCTION" and not any(i.opname == "LOAD_BUILD_CLASS" for i in before[-6:]):
            found.append(before[-1].argval)
        before.append(instruction)
    return sorted(found)


def read_fields(raw):
    """``raw``, what depyf read, in the form of ``fields``."""
    found = {field: getattr(raw, field) for field in FIELDS}
    found["bytecode"] = raw.bytecode.hex()
    found["consts"] = [describe(value, read_fields) for value in raw.consts]
    found["qualname"] = raw.qualname
    found["positions"] = raw.positions()
    found["handlers"] = raw.exception_table
    found["localsplus"] = raw.localsplus
    functions = [child for child in raw.nested if child.is_function]
    found["inner_qualnames"] = sorted(child.qualname for child in functions)
    return found


def same(read, said):
    """Compare field by field, as JSON (tuples are lists); nested code through the constants of its parent."""
    has_qualnames = said["qualname"] is not None
    for field in said:
        if field == "qualname" and not has_qualnames:
            continue
        if field == "inner_qualnames" and has_qualnames:
            continue
        if field == "consts":
            assert len(read["consts"]) == len(said["consts"])
            for mine, theirs in zip(read["consts"], said["consts"]):
                if isinstance(theirs, dict):
                    same(mine, theirs)
                else:
                    assert mine == theirs, said["name"]
        else:
            assert json.dumps(read[field]) == json.dumps(said[field]), (field, said["name"])


def main(snippets, output):
    with open(snippets, encoding="utf-8") as file:
        texts = file.read().split(SEPARATOR)
    accepted = []
    for text in texts:
        try:
            compile(text, "snippet", "exec", dont_inherit=True)
        except SyntaxError:
            continue
        accepted.append(text)
    code = compile("".join(accepted), "snippets.py", "exec", dont_inherit=True)
    with open(output, "wb") as file:
        file.write(importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(code))
    print(json.dumps({"accepted": len(accepted), "code": fields(code), "executable": sys.executable}))


if __name__ == "__main__":
    main(*sys.argv[1:])
