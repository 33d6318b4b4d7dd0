"""A machine that executes canonical instructions on real Python values.

It shares no code with the decompiler but the instructions themselves, so running a function on it beside CPython's own
run of the same code object shows whether the instructions mean what the code object means. Each operation is done by
the running Python itself; what the machine keeps is the evaluation stack, the variables, and which exception is being
handled. Operations are done in a real ``except`` block for that exception, so contexts and ``raise`` come out right.
"""

from __future__ import annotations

import builtins
import importlib
import operator
import types
from typing import Any, Callable, Dict, List, Tuple

from depyf.decompiler.bytecode import Instruction, RawCode

NULL = type("Null", (), {"__repr__": lambda self: "NULL"})()
LASTI = type("LastI", (), {"__repr__": lambda self: "LASTI"})()


class Broken(Exception):
    """The instructions make no sense: an empty stack, a missing handler, control off the end."""


class CannotRun(Exception):
    """An operation that this machine does not know."""


class Jump(Exception):
    """An operation goes on at its target."""


class Before:
    """What PUSH_EXC_INFO leaves below the exception: the one that was handled before, or None."""

    def __init__(self, error: Any) -> None:
        self.error = error


class Suspend:
    """What the machine wants of the frame it runs in: ``kind`` is return, raise, yield, await or from."""

    def __init__(self, kind: str, value: Any) -> None:
        self.kind, self.value = kind, value


BINARY: Dict[str, Callable[..., Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "@": operator.matmul, "<<": operator.lshift, ">>": operator.rshift,
    "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "+=": operator.iadd, "-=": operator.isub, "*=": operator.imul, "/=": operator.itruediv,
    "//=": operator.ifloordiv, "%=": operator.imod, "**=": operator.ipow, "@=": operator.imatmul,
    "<<=": operator.ilshift, ">>=": operator.irshift, "&=": operator.iand, "|=": operator.ior, "^=": operator.ixor,
    "[]": operator.getitem,
}  # fmt: skip
COMPARE: Dict[str, Callable[..., Any]] = {
    "<": operator.lt, "<=": operator.le, "==": operator.eq, "!=": operator.ne, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
UNARY: Dict[str, Callable[..., Any]] = {
    "+": operator.pos, "-": operator.neg, "~": operator.invert, "not": operator.not_,
}  # fmt: skip
CONVERSIONS: Dict[str, Callable[..., Any]] = {"s": str, "r": repr, "a": ascii}
_HELPERS: Dict[str, Any] = {}


def helper(text: str) -> Any:
    """The function ``h`` that ``text`` defines: statements whose effect only a statement has."""
    if text not in _HELPERS:
        namespace: Dict[str, Any] = {}
        exec(text, namespace)
        _HELPERS[text] = namespace["h"]
    return _HELPERS[text]


class Machine:
    """One run of ``instructions``, which stand for those of ``raw``."""

    def __init__(
        self,
        raw: RawCode,
        instructions: List[Instruction],
        variables: Dict[str, Any],
        namespace: Dict[str, Any],
        closure: Tuple[Any, ...] = (),
        class_namespace: Any = None,
    ) -> None:
        self.raw, self.instructions = raw, instructions
        self.globals = namespace
        self.names = class_namespace if class_namespace is not None else namespace
        self.locals: Dict[str, Any] = dict(variables)
        self.cells: Dict[str, Any] = dict(zip(raw.freevars, closure))
        for name in raw.cellvars:
            cell = self.cells[name] = types.CellType()
            if name in self.locals:
                cell.cell_contents = self.locals.pop(name)
        self.stack: List[Any] = []
        self.handled: Any = None
        self.at = 0
        self.steps = 0
        self.unknown: Callable[[str], Any] = lambda what: None

    def cannot(self, what: str) -> CannotRun:
        self.unknown(what)
        return CannotRun(what)

    # The loop

    def go(self) -> Suspend:
        """Execute until the frame has something to do."""
        while True:
            if not 0 <= self.at < len(self.instructions):
                raise Broken("control leaves the code")
            self.steps += 1
            if self.steps > 200_000:
                raise Broken("too many steps")
            instruction = self.instructions[self.at]
            op = instruction.op
            if op == "RETURN_VALUE":
                return Suspend("return", self.pop())
            if op in ("YIELD_VALUE", "YIELD_FROM"):
                if op == "YIELD_VALUE":
                    return Suspend("yield", self.pop())
                self.pop()
                return Suspend("from", self.pop())
            if op == "RETURN_GENERATOR":
                self.at += 1
                return Suspend("made", None)
            if op == "ASYNC_FOR_ITER":
                error = self.attempt(self.start_async_for, instruction, stay=True)
                if error is None:
                    return Suspend("from", self.pop())
                if not self.unwind(error):
                    return Suspend("raise", error)
                continue
            if op == "RERAISE":
                error = self.pop()
                if not _is_exception(error):
                    raise Broken("RERAISE of what is no exception")
                if not self.unwind(error):
                    return Suspend("raise", error)
                continue
            method = getattr(self, "do_" + op, None)
            if method is None:
                raise self.cannot(op)
            error = self.attempt(method, instruction)
            if error is not None and not self.unwind(error):
                return Suspend("raise", error)

    def attempt(self, method: Callable[[Any], Any], instruction: Instruction, stay: bool = False) -> Any:
        """Do one operation while the handled exception is handled. Gives what it raised, if it raised."""
        traceback = None if self.handled is None else self.handled.__traceback__
        try:
            if self.handled is None:
                method(instruction.arg)
            else:
                handling(self.handled, method, instruction.arg)
        except (Broken, CannotRun):
            raise
        except Jump:
            self.at = instruction.target
            return None
        except BaseException as error:
            if error is self.handled:
                error.__traceback__ = traceback  # `raise` adds nothing to it
            return error
        if not stay:
            self.at += 1
        return None

    def unwind(self, error: BaseException) -> bool:
        """Go to the handler of the instruction that raised; False if there is none."""
        instruction = self.instructions[self.at]
        if instruction.op == "ASYNC_FOR_ITER" and issubclass(type(error), StopAsyncIteration):
            self.pop()
            self.at = instruction.target
            return True
        handler = instruction.handler
        if handler is None:
            return False
        if len(self.stack) < handler.depth:
            raise Broken("the handler keeps more than there is")
        del self.stack[handler.depth :]
        if handler.lasti:
            self.stack.append(LASTI)
        self.stack.append(error)
        self.at = handler.target
        return True

    def resume(self, value: Any) -> None:
        """The frame was given ``value`` where it was suspended."""
        self.stack.append(value)
        self.at += 1

    # The stack

    def pop(self) -> Any:
        if not self.stack:
            raise Broken("the stack is empty")
        return self.stack.pop()

    def take(self, count: int) -> List[Any]:
        if count > len(self.stack) or count < 0:
            raise Broken("the stack is too small")
        if not count:
            return []
        taken = self.stack[-count:]
        del self.stack[-count:]
        return taken

    def values(self, count: int) -> List[Any]:
        """``count`` entries that must be values."""
        taken = self.take(count)
        if any(_is_mark(value) for value in taken):
            raise Broken("an empty slot is used as a value")
        return taken

    def value(self) -> Any:
        return self.values(1)[0]

    def peek(self, depth: int) -> Any:
        if not 1 <= depth <= len(self.stack):
            raise Broken("the stack is too small")
        return self.stack[-depth]

    def peek_value(self, depth: int) -> Any:
        value = self.peek(depth)
        if _is_mark(value):
            raise Broken("an empty slot is used as a value")
        return value

    def do_NOP(self, arg: Any) -> None:
        pass

    do_LETS_STOP_ITERATION_PASS = do_NOP

    def do_JUMP(self, arg: Any) -> None:
        raise Jump

    def do_CONST(self, arg: Any) -> None:
        self.stack.append(arg)

    def do_NULL(self, arg: Any) -> None:
        self.stack.append(NULL)

    def do_POP(self, arg: Any) -> None:
        self.pop()

    def do_COPY(self, arg: Any) -> None:
        self.stack.append(self.peek(arg))

    def do_SWAP(self, arg: Any) -> None:
        self.peek(arg)
        self.stack[-1], self.stack[-arg] = self.stack[-arg], self.stack[-1]

    # Variables

    def do_LOAD_FAST(self, name: str) -> None:
        if name not in self.locals:
            raise UnboundLocalError(name)
        self.stack.append(self.locals[name])

    def do_STORE_FAST(self, name: str) -> None:
        value = self.pop()
        if value is NULL:
            self.locals.pop(name, None)
        else:
            self.locals[name] = value

    def do_DELETE_FAST(self, name: str) -> None:
        if name not in self.locals:
            raise UnboundLocalError(name)
        del self.locals[name]

    def do_LOAD_FAST_AND_CLEAR(self, name: str) -> None:
        self.stack.append(self.locals.pop(name, NULL))

    def cell(self, name: str) -> Any:
        if name not in self.cells:
            raise Broken(f"no cell {name}")
        return self.cells[name]

    def unbound(self, name: str) -> Exception:
        return UnboundLocalError(name) if name in self.raw.cellvars else NameError(name)

    def do_LOAD_CLOSURE(self, name: str) -> None:
        self.stack.append(self.cell(name))

    def do_LOAD_DEREF(self, name: str) -> None:
        value = _content(self.cell(name))
        if value is NULL:
            raise self.unbound(name)
        self.stack.append(value)

    def do_STORE_DEREF(self, name: str) -> None:
        self.cell(name).cell_contents = self.pop()

    def do_DELETE_DEREF(self, name: str) -> None:
        cell = self.cell(name)
        if _content(cell) is NULL:
            raise self.unbound(name)
        del cell.cell_contents

    def do_LOAD_CLASSDEREF(self, name: str) -> None:
        value = _lookup(self.names, name)
        if value is NULL:
            self.do_LOAD_DEREF(name)
        else:
            self.stack.append(value)

    def do_MAKE_CELL(self, name: str) -> None:
        cell = self.cells[name] = types.CellType()
        if name in self.locals:
            cell.cell_contents = self.locals.pop(name)

    def do_LOAD_FROM_DICT_OR_DEREF(self, name: str) -> None:
        value = _lookup(self.value(), name)
        if value is NULL:
            self.do_LOAD_DEREF(name)
        else:
            self.stack.append(value)

    def do_LOAD_FROM_DICT_OR_GLOBALS(self, name: str) -> None:
        value = _lookup(self.value(), name)
        self.stack.append(self.globals[name] if value is NULL else value)

    def do_LOAD_GLOBAL(self, name: str) -> None:
        self.stack.append(self.globals[name])

    def do_STORE_GLOBAL(self, name: str) -> None:
        dict.__setitem__(self.globals, name, self.value())

    def do_DELETE_GLOBAL(self, name: str) -> None:
        if not dict.__contains__(self.globals, name):
            raise NameError(name)
        dict.__delitem__(self.globals, name)

    def do_LOAD_NAME(self, name: str) -> None:
        value = _lookup(self.names, name)
        self.stack.append(self.globals[name] if value is NULL else value)

    def do_STORE_NAME(self, name: str) -> None:
        self.names[name] = self.value()

    def do_DELETE_NAME(self, name: str) -> None:
        if not _dropped(self.names, name):
            raise NameError(name)

    # Operators

    def do_LOAD_ATTR(self, name: str) -> None:
        self.stack.append(getattr(self.value(), name))

    def do_STORE_ATTR(self, name: str) -> None:
        value, owner = self.values(2)
        setattr(owner, name, value)

    def do_DELETE_ATTR(self, name: str) -> None:
        delattr(self.value(), name)

    def do_BINARY_SUBSCR(self, arg: Any) -> None:
        owner, key = self.values(2)
        self.stack.append(owner[key])

    def do_STORE_SUBSCR(self, arg: Any) -> None:
        value, owner, key = self.values(3)
        owner[key] = value

    def do_DELETE_SUBSCR(self, arg: Any) -> None:
        owner, key = self.values(2)
        del owner[key]

    def do_UNARY_OP(self, arg: str) -> None:
        self.stack.append(UNARY[arg](self.value()))

    def do_BINARY_OP(self, arg: str) -> None:
        self.stack.append(BINARY[arg](*self.values(2)))

    def do_COMPARE_OP(self, arg: str) -> None:
        self.stack.append(COMPARE[arg](*self.values(2)))

    def do_IS_OP(self, arg: str) -> None:
        left, right = self.values(2)
        self.stack.append((left is right) == (arg == "is"))

    def do_CONTAINS_OP(self, arg: str) -> None:
        item, container = self.values(2)
        self.stack.append((item in container) == (arg == "in"))

    def do_LOAD_SUPER_ATTR(self, arg: Any) -> None:
        name, with_both = arg
        called, kind, instance = self.values(3)
        found = called(kind, instance) if with_both or called is super else called()
        self.stack.append(getattr(found, name))

    # Displays

    def do_BUILD_TUPLE(self, count: int) -> None:
        self.stack.append(tuple(self.values(count)))

    def do_BUILD_LIST(self, count: int) -> None:
        self.stack.append(self.values(count))

    def do_BUILD_SET(self, count: int) -> None:
        result = set()
        for item in self.values(count):
            result.add(item)
        self.stack.append(result)

    def do_BUILD_MAP(self, count: int) -> None:
        items = self.values(2 * count)
        result = {}
        for key, value in zip(items[::2], items[1::2]):
            result[key] = value
        self.stack.append(result)

    def do_BUILD_CONST_KEY_MAP(self, count: int) -> None:
        *items, keys = self.values(count + 1)
        self.stack.append(dict(zip(keys, items)))

    def do_BUILD_STRING(self, count: int) -> None:
        self.stack.append("".join(self.values(count)))

    def do_BUILD_SLICE(self, count: int) -> None:
        self.stack.append(slice(*self.values(count)))

    def do_LIST_TO_TUPLE(self, arg: Any) -> None:
        self.stack.append(tuple(self.value()))

    def into(self, arg: int, kind: type) -> Any:
        owner = self.peek(arg)
        if not isinstance(owner, kind):
            raise Broken("adds to something else")
        return owner

    def do_LIST_EXTEND(self, arg: int) -> None:
        more, owner = self.value(), self.into(arg, list)
        if type(more) not in (tuple, list):
            more = helper("def h(x): return [*x]")(more)
        owner.extend(more)

    def do_SET_UPDATE(self, arg: int) -> None:
        more = self.value()
        self.into(arg, set).update(more)

    def do_DICT_UPDATE(self, arg: int) -> None:
        more, owner = self.value(), self.into(arg, dict)
        if type(more) is not dict:
            more = helper("def h(x): return {**x}")(more)
        owner.update(more)

    def do_DICT_MERGE(self, arg: int) -> None:
        more, owner = self.value(), self.into(arg, dict)
        if type(more) is dict and not owner:
            owner.update(more)
        else:
            copy = dict(owner)
            owner.update(helper("def h(a, b): return dict(**a, **b)")(copy, more))

    def do_LIST_APPEND(self, arg: int) -> None:
        value = self.value()
        self.into(arg, list).append(value)

    def do_SET_ADD(self, arg: int) -> None:
        value = self.value()
        self.into(arg, set).add(value)

    def do_MAP_ADD(self, arg: int) -> None:
        key, value = self.values(2)
        self.into(arg, dict)[key] = value

    def do_FORMAT_VALUE(self, arg: Any) -> None:
        conversion, has_spec = arg
        spec = self.value() if has_spec else ""
        value = self.value()
        if conversion:
            value = CONVERSIONS[conversion](value)
        self.stack.append(format(value, spec))

    def do_CONVERT_VALUE(self, conversion: str) -> None:
        self.stack.append(CONVERSIONS[conversion](self.value()))

    def do_BUILD_INTERPOLATION(self, arg: Any) -> None:
        conversion, has_spec = arg
        spec = self.value() if has_spec else ""
        value, text = self.values(2)
        made = importlib.import_module("string.templatelib").Interpolation
        self.stack.append(made(value, text, conversion or None, spec))

    def do_BUILD_TEMPLATE(self, arg: Any) -> None:
        strings, parts = self.values(2)
        both = [thing for pair in zip(strings, (*parts, None)) for thing in pair if thing is not None]
        self.stack.append(importlib.import_module("string.templatelib").Template(*both))

    def unpacked(self, count: int, star: str, brackets: str) -> None:
        """What 3.8 makes of several iterables or mappings at once."""
        items = "".join(f"{star}v[{n}], " for n in range(count))
        self.stack.append(helper(f"def h(v): return {brackets[0]}{items}{brackets[1]}")(self.values(count)))

    def do_BUILD_LIST_UNPACK(self, count: int) -> None:
        self.unpacked(count, "*", "[]")

    def do_BUILD_TUPLE_UNPACK(self, count: int) -> None:
        self.unpacked(count, "*", "()")

    do_BUILD_TUPLE_UNPACK_WITH_CALL = do_BUILD_TUPLE_UNPACK

    def do_BUILD_SET_UNPACK(self, count: int) -> None:
        self.unpacked(count, "*", "{}")

    def do_BUILD_MAP_UNPACK(self, count: int) -> None:
        self.unpacked(count, "**", "{}")

    def do_BUILD_MAP_UNPACK_WITH_CALL(self, count: int) -> None:
        items = "".join(f"**v[{n}], " for n in range(count))
        self.stack.append(helper(f"def h(v): return dict({items})")(self.values(count)))

    def do_UNPACK_SEQUENCE(self, count: int) -> None:
        names = "".join(f"v{n}, " for n in range(count))
        text = f"def h(x):\n ({names}) = x\n return ({names})" if count else "def h(x):\n () = x\n return ()"
        self.stack.extend(reversed(helper(text)(self.value())))

    def do_UNPACK_EX(self, arg: Any) -> None:
        before = "".join(f"v{n}, " for n in range(arg[0]))
        after = "".join(f"w{n}, " for n in range(arg[1]))
        result = helper(f"def h(x):\n {before} *r, {after} = x\n return ({before} r, {after})")(self.value())
        self.stack.extend(reversed(result))

    # Calls and functions

    def do_CALL(self, arg: Any) -> None:
        count, names = arg
        lower, upper, *arguments = self.take(count + 2)
        if any(value is NULL for value in arguments) or (lower is NULL and upper is NULL):
            raise Broken("an empty slot is used as a value")
        called = [value for value in (lower, upper, *arguments) if value is not NULL]
        self.call(called[0], called[1:], names)

    def do_CALL_FUNCTION(self, arg: Any) -> None:
        count, names = arg
        called, *arguments = self.values(count + 1)
        self.call(called, arguments, names)

    def call(self, called: Any, arguments: List[Any], names: Tuple[str, ...]) -> None:
        if len(names) > len(arguments):
            raise Broken("more names than arguments")
        place = len(arguments) - len(names)
        self.stack.append(called(*arguments[:place], **dict(zip(names, arguments[place:]))))

    def do_CALL_EX(self, has_mapping: bool) -> None:
        mapping = self.value() if has_mapping else None
        arguments = self.value()
        called = [value for value in self.take(2) if value is not NULL]
        if len(called) != 1 or _is_mark(called[0]):
            raise Broken("CALL_EX without its empty slot")
        self.call_ex(called[0], arguments, mapping)

    def do_CALL_FUNCTION_EX(self, has_mapping: bool) -> None:
        mapping = self.value() if has_mapping else None
        arguments, called = self.value(), self.value()
        self.call_ex(called, arguments, mapping)

    def call_ex(self, called: Any, arguments: Any, mapping: Any) -> None:
        if mapping is None:
            self.stack.append(called(*arguments))
        else:
            self.stack.append(called(*arguments, **mapping))

    def do_MAKE_FUNCTION(self, kinds: Tuple[str, ...]) -> None:
        code = self.pop()
        parts = dict(zip(kinds, self.values(len(kinds))))
        live = code.code if isinstance(code, RawCode) else code
        if not isinstance(live, types.CodeType):
            raise self.cannot("MAKE_FUNCTION of code that is not live")
        closure = parts.get("closure", ())
        if len(closure) != len(live.co_freevars):
            raise Broken("a closure of the wrong size")
        function = types.FunctionType(live, self.globals, None, parts.get("defaults"), closure or None)
        function.__qualname__ = code.qualname if isinstance(code, RawCode) else function.__qualname__
        if "kwdefaults" in parts:
            function.__kwdefaults__ = parts["kwdefaults"]
        if "annotations" in parts:
            annotations = parts["annotations"]
            if isinstance(annotations, tuple):
                annotations = dict(zip(annotations[::2], annotations[1::2]))
            function.__annotations__ = annotations
        if "annotate" in parts:
            function.__annotate__ = parts["annotate"]  # type: ignore[attr-defined]
        self.stack.append(function)

    def do_LOAD_BUILD_CLASS(self, arg: Any) -> None:
        self.stack.append(dict.__getitem__(self.globals, "__builtins__")["__build_class__"])

    def do_LOAD_ASSERTION_ERROR(self, arg: Any) -> None:
        self.stack.append(AssertionError)

    def do_IMPORT_NAME(self, name: str) -> None:
        level, names = self.values(2)
        find = dict.__getitem__(self.globals, "__builtins__")["__import__"]
        self.stack.append(find(name, self.globals, None, names, level))

    do_EAGER_IMPORT_NAME = do_IMPORT_NAME

    def do_LOAD_COMMON_CONSTANT(self, name: str) -> None:
        self.stack.append(getattr(builtins, name))

    def do_IMPORT_FROM(self, name: str) -> None:
        value = _attribute(self.peek_value(1), name)
        if value is NULL:
            raise ImportError(name)
        self.stack.append(value)

    # Loops

    def do_GET_ITER(self, arg: Any) -> None:
        self.stack.append(iter(self.value()))

    def do_GET_YIELD_FROM_ITER(self, arg: Any) -> None:
        value = self.value()
        ready = type(value) in (types.CoroutineType, types.GeneratorType)
        self.stack.append(value if ready else iter(value))

    def do_FOR_ITER(self, arg: Any) -> None:
        iterator = self.peek_value(1)
        step = getattr(type(iterator), "__next__", None)
        if step is None:
            raise TypeError("no iterator")
        value = _next(step, iterator)
        if value is NULL:
            self.pop()
            raise Jump
        self.stack.append(value)

    # Conditions

    def test(self, jumps: Callable[[Any], bool], kept: bool = False) -> None:
        value = self.peek_value(1)
        if jumps(value):
            if not kept:
                self.pop()
            raise Jump
        self.pop()

    def do_POP_JUMP_IF_FALSE(self, arg: Any) -> None:
        self.test(operator.not_)

    def do_POP_JUMP_IF_TRUE(self, arg: Any) -> None:
        self.test(bool)

    def do_POP_JUMP_IF_NONE(self, arg: Any) -> None:
        self.test(lambda value: value is None)

    def do_POP_JUMP_IF_NOT_NONE(self, arg: Any) -> None:
        self.test(lambda value: value is not None)

    def do_JUMP_IF_FALSE_OR_POP(self, arg: Any) -> None:
        self.test(operator.not_, kept=True)

    def do_JUMP_IF_TRUE_OR_POP(self, arg: Any) -> None:
        self.test(bool, kept=True)

    def do_TO_BOOL(self, arg: Any) -> None:
        self.stack.append(bool(self.value()))

    # Exceptions

    def do_RAISE_VARARGS(self, count: int) -> None:
        values = self.values(count)
        if not values:
            raise  # of the exception being handled: see `handling`
        if count == 1:
            raise values[0]
        raise values[0] from values[1]

    def do_PUSH_EXC_INFO(self, arg: Any) -> None:
        error = self.pop()
        if not _is_exception(error):
            raise Broken("PUSH_EXC_INFO of what is no exception")
        self.stack.append(Before(self.handled))
        self.stack.append(error)
        self.handled = error

    def do_POP_EXCEPT(self, arg: Any) -> None:
        before = self.pop()
        if type(before) is not Before:
            raise Broken("POP_EXCEPT of something else")
        self.handled = before.error

    def do_CHECK_EG_MATCH(self, arg: Any) -> None:
        error, wanted = self.values(2)
        rest, match = error, None
        group = BaseExceptionGroup  # type: ignore[name-defined]  # noqa: F821
        for one in wanted if type(wanted) is tuple else (wanted,):
            if not (issubclass(type(one), type) and issubclass(one, BaseException)):
                raise TypeError("catching classes that do not inherit from BaseException is not allowed")
            if issubclass(one, group):
                raise TypeError("catching ExceptionGroup with except* is not allowed. Use except instead.")
        if error is not None and _matches(type(error), wanted):
            rest, match = None, error if issubclass(type(error), group) else _group([error])
        elif error is not None and issubclass(type(error), group):
            match, rest = error.split(wanted)
        if match is not None:
            self.handled = match
        self.stack.extend((rest, match))

    def do_PREP_RERAISE_STAR(self, arg: Any) -> None:
        original, errors = self.values(2)
        left = [error for error in errors if error is not None]
        if not issubclass(type(original), BaseExceptionGroup):  # type: ignore[name-defined]  # noqa: F821
            self.stack.append(left[0] if left else None)
            return
        raised = [error for error in left if not _same_facts(error, original)]
        leaves = {id(leaf) for error in left if _same_facts(error, original) for leaf in _leaves(error)}
        again = original.split(lambda error: id(error) in leaves)[0] if leaves else None
        if again is not None:
            raised.append(again)
        self.stack.append(_group(raised) if len(raised) > 1 else raised[0] if raised else None)

    def do_CHECK_EXC_MATCH(self, arg: Any) -> None:
        wanted, error = self.value(), self.peek_value(1)
        for one in wanted if type(wanted) is tuple else (wanted,):
            if not (issubclass(type(one), type) and issubclass(one, BaseException)):
                raise TypeError("catching classes that do not inherit from BaseException is not allowed")
        self.stack.append(_matches(type(error), wanted))

    def do_BEFORE_WITH(self, arg: Any) -> None:
        manager = self.value()
        enter, leave = _method(manager, "__enter__"), _method(manager, "__exit__")
        self.stack.append(leave)
        self.stack.append(enter())

    def do_BEFORE_ASYNC_WITH(self, arg: Any) -> None:
        manager = self.value()
        enter, leave = _method(manager, "__aenter__"), _method(manager, "__aexit__")
        self.stack.append(leave)
        self.stack.append(enter())

    def do_WITH_EXCEPT_START(self, arg: Any) -> None:
        leave, error = self.peek_value(4), self.peek_value(1)
        if not _is_exception(error) or self.peek(3) is not LASTI:
            raise Broken("WITH_EXCEPT_START in the wrong place")
        self.stack.append(leave(type(error), error, error.__traceback__))

    # Asynchronous

    def do_GET_AITER(self, arg: Any) -> None:
        self.stack.append(_method(self.value(), "__aiter__")())

    def start_async_for(self, arg: Any) -> None:
        self.stack.append(_awaiting(_method(self.peek_value(1), "__anext__")()))

    def do_GET_AWAITABLE(self, arg: Any) -> None:
        self.stack.append(_awaiting(self.value()))

    # Patterns

    def do_GET_LEN(self, arg: Any) -> None:
        self.stack.append(len(self.peek_value(1)))

    def do_MATCH_SEQUENCE(self, arg: Any) -> None:
        kind = type(self.peek_value(1))
        self.stack.append(bool(kind.__flags__ & 1 << 5))

    def do_MATCH_MAPPING(self, arg: Any) -> None:
        kind = type(self.peek_value(1))
        self.stack.append(bool(kind.__flags__ & 1 << 6))

    def do_MATCH_CLASS(self, count: int) -> None:
        subject, kind, names = self.values(3)
        positional = [f"v{n}" for n in range(count)]
        named = [f"{name}=w{n}" for n, name in enumerate(names)]
        results = "".join(f"{n}, " for n in (*positional, *(f"w{n}" for n in range(len(names)))))
        text = f"def h(x, k):\n match x:\n  case k({', '.join((*positional, *named))}):\n   return ({results})"
        self.stack.append(helper(text)(subject, kind))

    def do_MATCH_CLASS_AND_TEST(self, count: int) -> None:
        subject = self.peek_value(3)
        self.do_MATCH_CLASS(count)
        matched = self.peek(1) is not None
        if not matched:
            self.stack[-1] = subject
        self.stack.append(matched)

    def do_MATCH_KEYS_AND_TEST(self, arg: Any) -> None:
        self.do_MATCH_KEYS(arg)
        self.stack.append(self.peek(1) is not None)

    def do_COPY_DICT_WITHOUT_KEYS(self, arg: Any) -> None:
        keys, subject = self.value(), self.peek_value(1)
        rest = helper("def h(x): return {**x}")(subject)
        for key in keys:
            del rest[key]
        self.stack.append(rest)

    def do_MATCH_KEYS(self, arg: Any) -> None:
        subject, keys = self.peek_value(2), self.peek_value(1)
        seen, values = set(), []
        missing = object()
        get = subject.get
        for key in keys:
            if key in seen:
                raise ValueError("mapping pattern checks duplicate key")
            seen.add(key)
            value = get(key, missing)
            if value is missing:
                self.stack.append(None)
                return
            values.append(value)
        self.stack.append(tuple(values))


def _is_mark(thing: Any) -> bool:
    """Whether it is an entry of the stack that is no value of the program."""
    return thing is NULL or thing is LASTI or type(thing) is Before


def _is_exception(thing: Any) -> bool:
    return issubclass(type(thing), BaseException)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return NULL


def _lookup(namespace: Any, name: str) -> Any:
    try:
        return namespace[name]
    except KeyError:
        return NULL


def _dropped(namespace: Any, name: str) -> bool:
    try:
        del namespace[name]
    except KeyError:
        return False
    return True


def _attribute(owner: Any, name: str) -> Any:
    try:
        return getattr(owner, name)
    except AttributeError:
        return NULL


def _next(step: Callable[[Any], Any], iterator: Any) -> Any:
    try:
        return step(iterator)
    except StopIteration:
        return NULL


def _same_facts(error: Any, original: Any) -> bool:
    """Whether ``error`` is a part of ``original`` that was raised again, not a new exception."""
    facts = ("__notes__", "__traceback__", "__cause__", "__context__")
    return all(getattr(error, fact, None) is getattr(original, fact, None) for fact in facts)


def _leaves(error: Any) -> List[Any]:
    if not issubclass(type(error), BaseExceptionGroup):  # type: ignore[name-defined]  # noqa: F821
        return [error]
    return [leaf for part in error.exceptions for leaf in _leaves(part)]


def _group(errors: List[Any]) -> Any:
    return BaseExceptionGroup("", errors)  # type: ignore[name-defined]  # noqa: F821


def _matches(kind: type, wanted: Any) -> bool:
    return any(one in kind.__mro__ for one in (wanted if type(wanted) is tuple else (wanted,)))


def _method(owner: Any, name: str) -> Any:
    """A special method, found as the interpreter finds it: on the type."""
    for kind in type(owner).__mro__:
        if name in vars(kind):
            found = vars(kind)[name]
            return types.MethodType(found, owner) if isinstance(found, types.FunctionType) else found.__get__(owner)
    with_statement = name in ("__enter__", "__exit__", "__aenter__", "__aexit__")
    raise (_NO_CONTEXT_MANAGER if with_statement else TypeError)(name)


def _raised_by_with() -> Any:
    """What a with statement raises for an object that is no context manager: versions differ."""
    try:
        with object():  # type: ignore[attr-defined]
            pass
    except Exception as error:
        return type(error)


_NO_CONTEXT_MANAGER = _raised_by_with()


def _awaiting(value: Any) -> Any:
    """The iterator behind an awaitable."""
    if type(value) is types.CoroutineType:
        return value
    if type(value) is types.GeneratorType and value.gi_code.co_flags & 0x100:
        return value
    return _method(value, "__await__")()


def handling(error: BaseException, method: Callable[..., Any], *arguments: Any) -> Any:
    """Call ``method`` while ``error`` is the exception that is being handled."""
    context, traceback = error.__context__, error.__traceback__
    try:
        raise error
    except BaseException:
        error.__context__, error.__traceback__ = context, traceback
        return method(*arguments)


def function_result(machine: Machine) -> Any:
    """Run an ordinary function to its end."""
    return _finish(machine.go())


def _finish(end: Suspend) -> Any:
    if end.kind == "return":
        return end.value
    if end.kind == "raise":
        context = end.value.__context__
        try:
            raise end.value
        finally:
            end.value.__context__ = context
    raise Broken(f"{end.kind} in a function of another kind")


def generator(machine: Machine) -> Any:
    """The machine as a generator."""
    while True:
        end = machine.go()
        if end.kind not in ("yield", "from"):
            return _finish(end)
        thrown = None
        try:
            if machine.handled is None:
                sent = (yield from end.value) if end.kind == "from" else (yield end.value)
            else:
                context = machine.handled.__context__
                try:
                    raise machine.handled
                except BaseException:
                    machine.handled.__context__ = context
                    sent = (yield from end.value) if end.kind == "from" else (yield end.value)
        except (Broken, CannotRun):
            raise
        except BaseException as error:
            thrown = error
        if thrown is None:
            machine.resume(sent)
        elif not machine.unwind(thrown):
            _finish(Suspend("raise", thrown))


class _Wrapped:
    def __init__(self, iterator: Any) -> None:
        self.iterator = iterator

    def __await__(self) -> Any:
        return self.iterator.__await__() if type(self.iterator) is types.CoroutineType else self.iterator


async def asynchronous_generator(machine: Machine) -> Any:
    """The machine as an asynchronous generator."""
    while True:
        end = machine.go()
        if end.kind not in ("from", "yield"):
            _finish(end)
            return
        thrown = None
        try:
            if machine.handled is None:
                sent = (await _Wrapped(end.value)) if end.kind == "from" else (yield end.value)
            else:
                context = machine.handled.__context__
                try:
                    raise machine.handled
                except BaseException:
                    machine.handled.__context__ = context
                    sent = (await _Wrapped(end.value)) if end.kind == "from" else (yield end.value)
        except (Broken, CannotRun):
            raise
        except BaseException as error:
            thrown = error
        if thrown is None:
            machine.resume(sent)
        elif not machine.unwind(thrown):
            _finish(Suspend("raise", thrown))


async def coroutine(machine: Machine) -> Any:
    """The machine as a coroutine."""
    while True:
        end = machine.go()
        if end.kind != "from":
            return _finish(end)
        thrown = None
        try:
            if machine.handled is None:
                sent = await _Wrapped(end.value)
            else:
                context = machine.handled.__context__
                try:
                    raise machine.handled
                except BaseException:
                    machine.handled.__context__ = context
                    sent = await _Wrapped(end.value)
        except (Broken, CannotRun):
            raise
        except BaseException as error:
            thrown = error
        if thrown is None:
            machine.resume(sent)
        elif not machine.unwind(thrown):
            _finish(Suspend("raise", thrown))


CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR = 0x20, 0x80, 0x200


def call(
    raw: RawCode,
    instructions: List[Instruction],
    bound: Dict[str, Any],
    namespace: Dict[str, Any],
    closure: Tuple[Any, ...] = (),
    unknown: Callable[[str], Any] = lambda what: None,
) -> Any:
    """Call a function whose instructions these are; gives what CPython's own call of it would give.

    ``unknown`` is told of an operation that the machine lacks; what the call then gives means nothing.
    """
    machine = Machine(raw, instructions, bound, namespace, closure)
    machine.unknown = unknown
    kinds = {CO_ASYNC_GENERATOR: asynchronous_generator, CO_COROUTINE: coroutine, CO_GENERATOR: generator}
    if any(instruction.op == "RETURN_GENERATOR" for instruction in instructions):
        end = machine.go()  # what runs before there is a generator
        if end.kind != "made":
            return _finish(end)
    for flag, kind in kinds.items():
        if raw.flags & flag:
            made: Any = kind(machine)
            made.__name__ = raw.name
            return made
    return function_result(machine)


def variables(raw: RawCode, positional: List[Any], named: Dict[str, Any]) -> Dict[str, Any]:
    """The variables of a function at its start, for arguments that fit."""
    bound = dict(zip(raw.varnames, positional[: raw.argcount]))
    count = raw.argcount + raw.kwonlyargcount
    for name in raw.varnames[raw.argcount : count]:
        bound[name] = named[name]
    if raw.flags & 0x04:
        bound[raw.varnames[count]] = tuple(positional[raw.argcount :])
        count += 1
    if raw.flags & 0x08:
        keywords = raw.varnames[raw.argcount : raw.argcount + raw.kwonlyargcount]
        bound[raw.varnames[count]] = {name: value for name, value in named.items() if name not in keywords}
    return bound
