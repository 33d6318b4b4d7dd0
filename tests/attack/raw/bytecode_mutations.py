"""Mutations of ``co_code`` and of the exception table. Each gives the changed fields and says in words what it did."""

from __future__ import annotations

import random
import types
from typing import Any, Callable, Dict, List, Optional, Tuple

from attack.raw import exception_table
from attack.raw.exception_table import Row
from attack.raw.instructions import (
    HAVE_ARGUMENT,
    JUMP_UNIT,
    JUMPS,
    NOP,
    OPCODES,
    Unit,
    caches,
    family,
    name_of,
    units,
)

Change = Optional[Tuple[Dict[str, Any], str]]
Mutation = Callable[[types.CodeType, random.Random], Change]


def _pick(code: types.CodeType, dice: random.Random) -> Unit:
    return dice.choice(units(code.co_code))


def _patched(code: bytes, offset: int, *values: int) -> Dict[str, Any]:
    return {"co_code": code[:offset] + bytes(values) + code[offset + len(values) :]}


def other_opcode(code: types.CodeType, dice: random.Random) -> Change:
    """Most often one of the same family, or of the same size."""
    at = _pick(code, dice)
    way = dice.random()
    wanted = [n for n in OPCODES if n != at.opcode and caches(n) == caches(at.opcode)] if way < 0.85 else OPCODES
    wanted = wanted or OPCODES
    related = [n for n in wanted if family(n) == family(at.opcode)]
    other = dice.choice(related if related and way < 0.6 else wanted)
    return _patched(code.co_code, at.offset, other), f"{at} became {name_of(other)}"


def operand(code: types.CodeType, dice: random.Random) -> Change:
    with_operand = [at for at in units(code.co_code) if at.opcode >= HAVE_ARGUMENT or at.argument]
    if not with_operand:
        return None
    at = dice.choice(with_operand)
    same = [unit.argument for unit in with_operand if unit.opcode == at.opcode and unit.argument != at.argument]
    near = [at.argument + step for step in (-2, -1, -1, 1, 1, 2)] + [at.argument ^ 1 << bit for bit in range(8)]
    chosen = dice.choice(same * 3 + near + [dice.randrange(256)]) & 255
    return _patched(code.co_code, at.offset + 1, chosen), f"the operand of {at} became {chosen}"


def unused_operand(code: types.CodeType, dice: random.Random) -> Change:
    """An operand for an instruction that takes none."""
    without = [at for at in units(code.co_code) if at.opcode < HAVE_ARGUMENT]
    if not without:
        return None
    at, chosen = dice.choice(without), dice.randrange(1, 256)
    return _patched(code.co_code, at.offset + 1, chosen), f"the operand of {at} became {chosen}"


def nop(code: types.CodeType, dice: random.Random) -> Change:
    at = _pick(code, dice)
    return _patched(code.co_code, at.offset, *(NOP, 0) * (at.size // 2)), f"{at} became NOP"


def nops(code: types.CodeType, dice: random.Random) -> Change:
    """Two that stand near each other: what one of them pushes the other may pop."""
    found = units(code.co_code)
    place = dice.randrange(len(found))
    pair = [found[place], found[min(len(found) - 1, place + dice.randint(1, 5))]]
    changed = bytearray(code.co_code)
    for at in pair:
        changed[at.offset : at.end] = bytes((NOP, 0)) * (at.size // 2)
    return {"co_code": bytes(changed)}, f"{pair[0]} and {pair[1]} became NOP"


def exchange(code: types.CodeType, dice: random.Random) -> Change:
    found = units(code.co_code)
    first = dice.randrange(len(found))
    second = min(len(found) - 1, first + dice.choice((1, 1, 1, 2, 2, 3, 4, 6, 9)))
    if first == second:
        return None
    one, other, data = found[first], found[second], code.co_code
    middle = data[one.end : other.offset]
    parts = [data[: one.offset], data[other.offset : other.end], middle, data[one.offset : one.end], data[other.end :]]
    return {"co_code": b"".join(parts)}, f"{one} and {other} exchanged"


def duplicate(code: types.CodeType, dice: random.Random) -> Change:
    """Inserted again, all jumps left as they are; or written over a neighbour."""
    found = units(code.co_code)
    at, data = dice.choice(found), code.co_code
    again = data[at.offset : at.end]
    over = [unit for unit in found if unit.size == at.size and abs(unit.offset - at.offset) < 20 and unit != at]
    if over and dice.random() < 0.5:
        other = dice.choice(over)
        return {"co_code": data[: other.offset] + again + data[other.end :]}, f"{at} written over {other}"
    return {"co_code": data[: at.end] + again + data[at.end :]}, f"{at} inserted again"


def delete(code: types.CodeType, dice: random.Random) -> Change:
    at, data = _pick(code, dice), code.co_code
    if len(data) == at.size:
        return None
    return {"co_code": data[: at.offset] + data[at.end :]}, f"{at} cut out"


def bits(code: types.CodeType, dice: random.Random) -> Change:
    """Any bit, cache entries included."""
    offset, bit = dice.randrange(len(code.co_code)), dice.randrange(8)
    return _patched(code.co_code, offset, code.co_code[offset] ^ 1 << bit), f"bit {bit} of byte {offset}"


def retarget(code: types.CodeType, dice: random.Random) -> Change:
    jumps = [at for at in units(code.co_code) if at.opcode in JUMPS]
    if not jumps:
        return None
    at = dice.choice(jumps)
    chosen = at.argument + JUMP_UNIT * dice.choice([step for step in range(-12, 13) if step])
    if not 0 <= chosen < 256:
        return None
    return _patched(code.co_code, at.offset + 1, chosen), f"the target of {at} moved to operand {chosen}"


def handler_rows(code: types.CodeType, dice: random.Random) -> Change:
    rows = exception_table.parse(getattr(code, "co_exceptiontable", b""))
    if not rows:
        return None
    place = dice.randrange(len(rows))
    row, starts = rows[place], [at.offset // 2 for at in units(code.co_code)]
    step = dice.choice((-3, -2, -1, 1, 2, 3))
    changed: List[Tuple[str, List[Row]]] = [
        ("starts elsewhere", [row._replace(start=row.start + step)]),
        ("ends elsewhere", [row._replace(end=row.end + step)]),
        ("has another target", [row._replace(target=dice.choice(starts))]),
        ("has the next target", [row._replace(target=row.target + step)]),
        ("has another depth", [row._replace(depth=row.depth + dice.choice((-1, 1)))]),
        ("has the other lasti", [row._replace(lasti=not row.lasti)]),
        ("is gone", []),
        ("has another's target", [row._replace(target=dice.choice(rows).target)]),
    ]
    if row.end - row.start > 1:
        middle = dice.randrange(row.start + 1, row.end)
        changed.append(("has a gap", [row._replace(end=middle), row._replace(start=min(row.end, middle + 1))]))
    words, new = dice.choice(changed)
    if any(r.start < 0 or r.end <= r.start or r.depth < 0 or r.target < 0 for r in new):
        return None
    table = exception_table.write([*rows[:place], *new, *rows[place + 1 :]])
    return {"co_exceptiontable": table}, f"{row} {words}: {new}"


MUTATIONS: Dict[str, Mutation] = {
    "another opcode": other_opcode, "another operand": operand, "an operand where none is read": unused_operand,
    "NOP": nop, "two NOPs": nops, "exchanged": exchange, "duplicated": duplicate, "deleted": delete, "a bit": bits,
    "another jump target": retarget, "exception table": handler_rows,
}  # fmt: skip
