"""What leaves a trace in a code object without being used: mentioned in dead code, or declared.

Free variables, cells, flags of generators and coroutines come from what compilers drop: ``0 and (yield)``, tests of
``__debug__``, annotations that are not evaluated.
"""

from __future__ import annotations

from typing import Iterator

from ..bytecode import Instruction, RawCode, inside_comprehensions, reached, readable_instructions
from ..bytecode.code.flags import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from ..bytecode.kinds import is_comprehension, kind_of
from ..bytecode.part import ON_CELLS
from ..syntax import nodes
from ..syntax.scopes import bound_names
from ..syntax.transforms.kept_constants import apart
from ..syntax.transforms.unreached import unreached_places
from .declarations import after_docstring, comprehensions_of
from .traces import annotate_locals


def mention_the_unused(
    body: list[nodes.Statement],
    raw: RawCode,
    instructions: list[Instruction],
    enclosing: frozenset[str] = frozenset(),
    *,
    alone: bool = False,
) -> list[str]:
    """Mention what leaves a trace without being read: a free variable in an annotation that is not evaluated; in dead
    code free variables, cells that no other function shares, the yield of a generator without one, and the await of a
    module without one.

    Return the free variables that are still to be declared: those that enclosing functions bind, and no annotation
    explains. ``enclosing`` are the names that a declaration can bind. ``alone``: the code is compiled as a separate
    unit, whose scaffold handles free variables.
    """
    dead = _unused_suspensions(raw, instructions)
    unread: list[str] = []
    if not alone and (raw.freevars or raw.cellvars):
        live = reached(instructions)
        dead += _unused_cells(raw, live)
        unread = _unread(raw, live)
        in_dead_code = unread if _never_taken(body) is not None else []
        if not in_dead_code and unread:
            if kind_of(raw) == "function":
                unread = annotate_locals(body, raw, instructions, unread, enclosing)
            # A declaration binds to variables of functions alone, and to what the compiler adds to a class.
            in_dead_code = [name for name in unread if name not in enclosing and name != "__class__"]
        dead = [nodes.Expr(nodes.Name(name)) for name in in_dead_code] + dead
        unread = [name for name in unread if name not in in_dead_code]
    if dead:
        if body and isinstance(body[-1], (nodes.Return, nodes.Raise)) and dead == [nodes.Expr(nodes.Yield())]:
            body += dead
        elif body == [nodes.Pass()]:
            body[:] = [_never(instructions, dead, body[0].line)]
        else:
            put_dead_code(body, dead)
    return unread


def _unused_suspensions(raw: RawCode, instructions: list[Instruction]) -> list[nodes.Statement]:
    """The yield of a generator that has none, and the await of a module or expression that has none."""
    yields = not is_comprehension(raw) and raw.flags & (CO_GENERATOR | CO_ASYNC_GENERATOR)
    if yields and not any(
        i.op == "YIELD_VALUE" or i.op == "YIELD_FROM" and raw.flags & CO_GENERATOR for i in reached(instructions)
    ):
        return [nodes.Expr(nodes.Yield())]
    is_coroutine = raw.flags & (CO_COROUTINE | CO_ASYNC_GENERATOR) and kind_of(raw) != "function"
    if is_coroutine and not any(i.op in _AWAITS for i in reached(instructions)):
        return [nodes.Expr(nodes.Await(nodes.Constant(None)))]
    return []


_AWAITS = frozenset({"GET_AWAITABLE", "ASYNC_FOR_ITER"})


def mention_in_value(value: nodes.Expression, raw: RawCode, instructions: list[Instruction]) -> nodes.Expression:
    """Mention the same in the value of a lambda or in the element of a comprehension."""
    dead = unused_value(raw, instructions)
    return value if dead is None else apart(value, dead)


def unused_value(raw: RawCode, instructions: list[Instruction]) -> nodes.Expression | None:
    """The expression that mentions it; None if there is nothing to mention."""
    dead: list[nodes.Expression] = []
    if not is_comprehension(raw):
        unbound = never_bound([], raw, instructions)
        dead += [nodes.NamedExpr(nodes.Name(name), nodes.Constant(None)) for name in unbound]
    dead += [one.value for one in _unused_suspensions(raw, instructions) if isinstance(one, nodes.Expr)]
    if raw.freevars or raw.cellvars:
        live = reached(instructions)
        dead += map(nodes.Name, _unread(raw, live))
        shared = [nodes.Lambda(nodes.arguments(), nodes.Name(name)) for name in _unshared(raw, live)]
        # The variables of comprehensions are bound, and can't be bound again.
        binds = not is_comprehension(raw)
        dead += [nodes.NamedExpr(one.body, one) if binds else one for one in shared]
    return dead[0] if len(dead) == 1 else nodes.Tuple(dead) if dead else None


def declare_the_unused(
    body: list[nodes.Statement],
    raw: RawCode,
    instructions: list[Instruction],
    enclosing: frozenset[str],
    *,
    alone: bool,
) -> None:
    """Do the same for a body whose declarations are already written."""
    unread = mention_the_unused(body, raw, instructions, enclosing, alone=alone)
    if unread:
        body.insert(0, nodes.Nonlocal(unread))


def _never(instructions: list[Instruction], dead: list[nodes.Statement], line: int | None) -> nodes.Statement:
    """The statement around ``dead`` that a body of nothing else is: `if` or `while`, by the column of its test, which
    the return has from 3.12 on.
    """
    last = next((i.position for i in reversed(instructions) if i.op == "RETURN_VALUE"), None)
    if last is None or None in last or last[0] != last[1] or last[3] - last[2] not in _WIDTHS_OF_FALSE:
        return nodes.If(nodes.Constant(False), dead, line=line)
    is_while = (last[2] - len("while ")) % 4 == 0
    return (nodes.While if is_while else nodes.If)(
        nodes.Constant(_WIDTHS_OF_FALSE[last[3] - last[2]]), dead, line=line
    )


def _captured(live: list[Instruction]) -> set[str]:
    """The variables that other functions share."""
    return {name for i in live if type(i.arg) is RawCode for name in i.arg.freevars}


def _unread(raw: RawCode, live: list[Instruction]) -> list[str]:
    """The free variables that nothing uses."""
    used = {i.arg for i in live if i.op in ON_CELLS} | _captured(live)
    used.add("__classdict__")  # captured whether it is read or not
    if "STORE_FIRST_LINE" in [i.op for i in live]:
        used.add("__firstlineno__")
    if [i for i in live if i.op[:5] == "LOAD_" and i.arg == "super"]:
        used.add("__class__")
    return [name for name in raw.freevars if name not in used and name.isidentifier()]


def _unshared(raw: RawCode, live: list[Instruction]) -> list[str]:
    """The cells that no other function shares; without those of inlined comprehensions."""
    captured = _captured(live) | {i.arg for i in live if i.op == "MAKE_CELL"}
    return [name for name in raw.cellvars if name not in captured and name.isidentifier()]


def _unused_cells(raw: RawCode, live: list[Instruction]) -> Iterator[nodes.Statement]:
    """Statements that mention the cells that no other function shares."""
    missing = _unshared(raw, live)
    if raw.is_function:
        elsewhere = {i.arg for i in live if i.op in ("LOAD_GLOBAL", "STORE_GLOBAL", "DELETE_GLOBAL")}
        yield from (_capture(name, of_comprehension=name in elsewhere) for name in missing)
        return
    if "__class__" in missing:  # only methods in dead code ask for it
        yield nodes.Expr(nodes.Lambda(nodes.arguments([], []), nodes.Name("__class__")))
    if "__classdict__" in missing and not raw.table.behavior.annotations_are_lazy:
        yield nodes.TypeAlias(nodes.Name("_"), [], nodes.Constant(None))


def never_bound(body: list[nodes.Statement], raw: RawCode, instructions: list[Instruction]) -> list[str]:
    """The variables of the function that its code uses but never binds: only dead code bound them."""
    given, variables = {*raw.parameters, *raw.freevars}, (*raw.varnames, *raw.cellvars)
    live = [] if given.issuperset(variables) else reached(instructions)
    bound = {i.arg for i in live if i.op in _BINDS} | given
    hidden = {i.arg for i in instructions if i.op == "LOAD_FAST_AND_CLEAR"}
    if not hidden and bound.issuperset(variables):
        return []  # the common case
    # Inlined comprehensions store to their variables, and restore the variables that these hide.
    inside = inside_comprehensions(instructions)
    used = {
        i.arg for i, within in zip(instructions, inside) if i.op in _USES and (not within or i.arg not in hidden)
    }
    if not used.isdisjoint(hidden):
        bound = bound - hidden | given | bound_names(body)
    for nested in comprehensions_of(raw):
        # ``:=`` in a comprehension binds in the enclosing function.
        bound.update(i.arg for i in readable_instructions(nested) if i.op == "STORE_DEREF" and i.arg in nested.freevars)
    return [name for name in variables if name in used - bound and name.isidentifier()]


_BINDS = frozenset({"STORE_FAST", "DELETE_FAST", "STORE_DEREF", "DELETE_DEREF"})
_USES = frozenset({"LOAD_FAST", "LOAD_DEREF", "LOAD_CLOSURE"})


def store_in_dead_code(body: list[nodes.Statement], attributes: list[str]) -> None:
    """Add dead code to ``body`` that stores ``attributes`` of ``self``, like an `if __debug__:` in optimised code:
    the class lists their names.
    """
    if attributes:
        targets = [nodes.Attribute(nodes.Name("self"), name) for name in attributes]
        at = after_docstring(body)
        rest = body[at:]
        put_dead_code(rest, [nodes.Assign([target], nodes.Constant(None)) for target in targets])
        body[at:] = rest


_WIDTHS_OF_FALSE = {len(repr(value)): value for value in (False, 0)}


def put_dead_code(body: list[nodes.Statement], dead: list[nodes.Statement]) -> None:
    """Put ``dead`` where a test is never true, if there is one, else behind a statement that leaves, else below a test
    of its own. That is prepended to ``body`` if the last statement may end the code: compilers copy that end.
    """
    never = _never_taken(body)
    if never is not None:
        never[:] = dead
        return
    if body and isinstance(body[-1], (nodes.Return, nodes.Raise)):
        body.append(nodes.If(nodes.Constant(False), dead))
        return
    places = [(suite, at) for suite, at in unreached_places(body) if at is not None]
    if places:
        suite, at = places[-1]
        suite[at:at] = dead
    else:
        body.insert(0, nodes.If(nodes.Constant(False), dead))


def _never_taken(body: list[nodes.Statement]) -> list[nodes.Statement] | None:
    """What is below the first test that is never true: nothing."""
    return next((suite for suite, at in unreached_places(body) if at is None), None)


def _capture(name: str, *, of_comprehension: bool) -> nodes.Statement:
    """A statement that makes ``name`` a variable of the code and shares it with another function.

    ``of_comprehension``: only an inlined comprehension has the variable, outside of it the name is another one.
    """
    shared = nodes.Lambda(nodes.arguments([], []), nodes.Name(name))
    if of_comprehension:
        return nodes.Expr(nodes.ListComp(shared, [nodes.comprehension(nodes.Name(name), nodes.Tuple([]), [], 0)]))
    return nodes.Assign([nodes.Name(name)], shared)
