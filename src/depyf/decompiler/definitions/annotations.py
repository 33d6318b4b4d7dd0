"""Lazily evaluated annotations: the ``__annotate__`` functions that the compiler makes of them (3.14 on).

Such a function returns a dictionary of the annotations of a function, class or module. In a module, and in a class
with annotations inside other statements, the body records the number of each annotation that it reaches; the function
tests for these numbers.
"""

from __future__ import annotations

from typing import NamedTuple

from ...errors import DecompilationError
from ..bytecode import RawCode
from ..bytecode.kinds import CONDITIONAL_ANNOTATIONS, gives_annotations
from ..lift.values import Append, CommonConstant, Function, Marker, Reached, Unpacked
from ..syntax import nodes

STORED = ("__annotate__", "__annotate_func__")
PROLOGUE = ("__module__", "__qualname__", "__doc__")


class Deferred(NamedTuple):
    """One annotation; ``number`` is what the body records on reaching it, None if it does not."""

    name: str
    value: nodes.Expression
    number: int | None
    line: int | None


def gather(body: list[nodes.Statement], raw: RawCode) -> list[nodes.Statement]:
    """The structured body of such a function as Appends, inside an ``if`` where it tests for a number.

    Raises DecompilationError if the compiler makes no such body.
    """
    if not body or not _refuses_other_formats(body[0]):
        raise _error(raw)
    result: list[nodes.Statement] = []
    for statement in body[1:]:
        if isinstance(statement, nodes.Return) and isinstance(statement.value, nodes.Dict):
            for key, value in zip(statement.value.keys, statement.value.values):
                result.append(Append(key, starred(value)))
        elif isinstance(statement, nodes.If) and len(statement.body) == 1 and not statement.orelse:
            inner = statement.body[0]
            result.append(nodes.If(statement.test, [_item(inner, raw)], line=inner.line))
        elif not (isinstance(statement, nodes.Return) and isinstance(statement.value, Marker)):
            result.append(_item(statement, raw))
    return result


def _error(raw: RawCode) -> DecompilationError:
    return DecompilationError("a function of annotations in another form", stage="structure", where=raw.qualname)


def _refuses_other_formats(statement: nodes.Statement) -> bool:
    wanted = nodes.Compare(nodes.Name("format"), [">"], [nodes.Constant(2)])
    if not isinstance(statement, nodes.If) or statement.test != wanted or len(statement.body) != 1:
        return False
    only = statement.body[0]
    return isinstance(only, nodes.Raise) and isinstance(only.exc, CommonConstant) and not statement.orelse


def _item(statement: nodes.Statement, raw: RawCode) -> Append:
    if isinstance(statement, Append):
        return statement
    target = statement.targets[0] if isinstance(statement, nodes.Assign) and len(statement.targets) == 1 else None
    if not isinstance(target, nodes.Subscript) or not isinstance(target.value, Marker):
        raise _error(raw)
    assert isinstance(statement, nodes.Assign)
    item = Append(target.slice, starred(statement.value))
    item.line = statement.line
    return item


def starred(value: nodes.Expression) -> nodes.Expression:
    """The annotation of ``*args: *Ts``, which the compiler unpacks into exactly one value."""
    if isinstance(value, Unpacked) and len(value.group.targets) == 1:
        return nodes.Starred(value.group.value)
    return value


def annotations_of(body: list[nodes.Statement], raw: RawCode) -> list[Deferred]:
    """The annotations that ``gather`` found, after their expressions are resolved."""
    found = []
    for statement in body:
        number: int | None = None
        inner = statement
        if isinstance(statement, nodes.If):
            number, inner = _number(statement.test, raw), statement.body[0]
        if not isinstance(inner, Append) or not isinstance(inner.key, nodes.Constant):
            raise _error(raw)
        found.append(Deferred(str(inner.key.value), inner.value, number, inner.line))
    return found


def _number(test: nodes.Expression, raw: RawCode) -> int:
    left = test.left if isinstance(test, nodes.Compare) else None
    if isinstance(left, nodes.Constant) and type(left.value) is int and test == _reached(left):
        return left.value
    raise _error(raw)


def _reached(number: nodes.Expression) -> nodes.Expression:
    return nodes.Compare(number, ["in"], [nodes.Name(CONDITIONAL_ANNOTATIONS)])


def as_function(body: list[nodes.Statement]) -> list[nodes.Statement]:
    """The result of ``gather`` as statements of a function, for reading only: no source compiles to this code alone."""
    result = nodes.Name("annotations")
    lines: list[nodes.Statement] = [nodes.Assign([result], nodes.Dict())]
    for statement in body:
        inner = statement.body[0] if isinstance(statement, nodes.If) else statement
        assert isinstance(inner, Append) and inner.key is not None
        line: nodes.Statement = nodes.Assign([nodes.Subscript(result, inner.key)], inner.value)
        lines.append(nodes.If(statement.test, [line]) if isinstance(statement, nodes.If) else line)
    return [*lines, nodes.Return(result)]


def find_function(body: list[nodes.Statement]) -> tuple[int, Function | None]:
    """Remove the store of the ``__annotate__`` function of a module or class; return its index and the function.

    The set of reached annotations is removed in any case.
    """
    body[:] = [statement for statement in body if not _stores(statement, CONDITIONAL_ANNOTATIONS)]
    for index, statement in enumerate(body):
        value = statement.value if type(statement) is nodes.Assign else None
        if type(value) is Function and gives_annotations(value.raw) and not value.parts:
            if any(_stores(statement, name) for name in STORED):
                del body[index]
                return index, value
    return 0, None


def lost_annotations(body: list[nodes.Statement], raw: RawCode) -> list[Deferred]:
    """Annotations for the numbers that a class records whose end is never reached: it stores no function of them."""
    if CONDITIONAL_ANNOTATIONS not in raw.cellvars:
        return []  # the common case
    value = nodes.Constant(...)
    found: dict[int, Deferred] = {}
    before: nodes.Statement = nodes.Pass()
    for statement in nodes.statements_in_order(body):
        if isinstance(statement, Reached):
            target = before.targets[-1] if isinstance(before, nodes.Assign) else None
            is_stored = isinstance(target, nodes.Name) and before.line == statement.line is not None
            name = target.id if isinstance(target, nodes.Name) and is_stored else "_"
            found[statement.number] = Deferred(name, value, statement.number, statement.line)
        before = statement
    return [found.get(number, Deferred("_", value, number, None)) for number in range(max(found, default=-1) + 1)]


def spread(body: list[nodes.Statement], end: int, found: list[Deferred], *, is_class: bool) -> None:
    """Insert annotations into the body of a module or class, as stores into ``__annotations__`` as in earlier versions.

    Numbered ones replace the record of their number; the others go next to an assignment on the same line, to their
    line, or to ``end``.
    """
    if any(annotation.name == "return" for annotation in found):  # the stand-in for refused ones
        raise DecompilationError("its annotations are refused", stage="lift")
    numbered = {annotation.number: annotation for annotation in found if annotation.number is not None}
    if is_class:
        end += _put_in_conditions(body, numbered)
    stores: dict[int, nodes.Statement] = {}
    nodes.rewrite_bodies(body, lambda inner: _replace_notes(inner, numbered, stores))
    reached = [one for one in found if one.number in stores]
    after, before = _after_prologue(body, end), len(body)
    for annotation in found:  # in the order of the text
        if annotation.number is None:
            after = _insertion_index(body, annotation, after, end + len(body) - before)
            body.insert(after, _store(annotation, annotation.line))
            after += 1
        elif annotation.number in stores:
            after = max(after, _index_of(body, stores[annotation.number]) + 1)
        elif not any(_is_copy(annotation, one) for one in reached):
            after = _put_in_dead_code(body, annotation, after)


def _index_of(body: list[nodes.Statement], statement: nodes.Statement) -> int:
    """The index of the statement that is, or holds, ``statement``."""
    return next(
        index for index, one in enumerate(body) if any(it is statement for it in nodes.statements_in_order([one]))
    )


def _put_in_conditions(body: list[nodes.Statement], numbered: dict[int, Deferred]) -> int:
    """Write ``if True:`` around each recorded annotation that is in no other statement of the class: the compiler has
    dropped a constant test. Return by how many statements ``body`` is longer.
    """
    before = len(body)
    for index in reversed(range(len(body))):
        note = body[index]
        if isinstance(note, Reached) and note.number in numbered:
            name, line = numbered[note.number].name, note.line
            start = index - (index > 0 and body[index - 1].line == line and _stores(body[index - 1], name))
            body[start : index + 1] = [nodes.If(nodes.Constant(True), body[start : index + 1], line=line)]
    return len(body) - before


def _is_copy(annotation: Deferred, other: Deferred) -> bool:
    """Whether both are one annotation in the body of ``finally``, of which the code has several copies."""
    return annotation._replace(number=other.number) == other


def _after_prologue(body: list[nodes.Statement], end: int) -> int:
    after = 0
    while after < end and any(_stores(body[after], name) for name in PROLOGUE):
        after += 1
    return after


def _put_in_dead_code(body: list[nodes.Statement], annotation: Deferred, after: int) -> int:
    """Insert an annotation that is never reached, at or behind ``after``; return the index behind it.

    The compiler has dropped the code around it, as in ``if False:``.
    """
    line = annotation.line
    end = len(body) - (bool(body) and isinstance(body[-1], nodes.Return))  # which is implicit, and stays last
    while after < end and line is not None and (body[after].line or 0) < line:
        after += 1
    store = _store(annotation, line)
    before = body[after - 1] if after else None
    if isinstance(before, nodes.If) and before.test == nodes.Constant(False):
        before.body[:] = [*(one for one in before.body if not isinstance(one, nodes.Pass)), store]
        return after
    body.insert(after, nodes.If(nodes.Constant(False), [store], line=line))
    return after + 1


def _insertion_index(body: list[nodes.Statement], annotation: Deferred, after: int, end: int) -> int:
    line = annotation.line
    for index in range(after, end):
        other = body[index].line
        if line is None or other is None or other < line:
            continue
        return index + 1 if other == line and _stores(body[index], annotation.name) else index
    return end


def _stores(statement: nodes.Statement, name: str) -> bool:
    if type(statement) is not nodes.Assign or len(statement.targets) != 1:
        return False
    (target,) = statement.targets
    return type(target) is nodes.Name and target.id == name


def _store(annotation: Deferred, line: int | None) -> nodes.Statement:
    target = nodes.Subscript(nodes.Name("__annotations__"), nodes.Constant(annotation.name))
    return nodes.Assign([target], annotation.value, line=line)


def _replace_notes(
    body: list[nodes.Statement], numbered: dict[int, Deferred], stores: dict[int, nodes.Statement]
) -> None:
    """Write stores for the notes; ``stores`` gets them by number."""
    result: list[nodes.Statement] = []
    for statement in body:
        if isinstance(statement, Reached):
            annotation = numbered.pop(statement.number, None)
            if annotation is None:
                raise DecompilationError("a note of an annotation that does not exist", stage="structure")
            stores[statement.number] = _store(annotation, statement.line)
            result.append(stores[statement.number])
        else:
            result.append(statement)
    body[:] = result
