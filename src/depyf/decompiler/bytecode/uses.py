"""What becomes of the functions that some instructions make: how each is called, and the name that it is stored under.

The names of code objects are data that tools change; what is done with a function is not.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .code.raw_code import RawCode
from .instruction import NO_FALL_THROUGH, Instruction, stack_use

_NULL, _ITERATOR = object(), object()
_STORES = frozenset({"STORE_NAME", "STORE_GLOBAL", "STORE_FAST", "STORE_DEREF"})
_LOADS = frozenset(
    {"LOAD_FAST", "LOAD_NAME", "LOAD_GLOBAL", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_LOCALS", "IMPORT_FROM"}
)
_CALLS = frozenset({"CALL", "CALL_FUNCTION", "CALL_EX", "CALL_FUNCTION_EX"})


class Use:
    """How the function made from ``raw`` is used.

    ``role``: 'class' if it is the body of one; 'called' if it is called at once with one argument, 'iterates' if that
    is an iterator; 'annotations' of a function; 'late' if a type parameter has it; 'alias' if an alias is its value;
    'generic' if it has type parameters; else ''. ``given`` is the name that a class, type parameter or alias gets,
    ``stored`` the variable that holds the value, decorated or not; ``is_global``: it is declared so. ``is_shared``: the
    value is used elsewhere too, so that no definition makes it. ``is_annotated``: it has annotations, as no lambda has;
    ``annotated``: the code of the function whose they are. ``closure`` are the variables around it that its free
    variables are, in their order.
    """

    __slots__ = ("raw", "role", "given", "stored", "is_global", "is_shared", "is_annotated", "annotated", "closure")

    def __init__(self, raw: RawCode) -> None:
        self.raw = raw
        self.role = ""
        self.given: str | None = None
        self.annotated: RawCode | None = None
        self.stored: str | None = None
        self.is_global = self.is_shared = self.is_annotated = False
        self.closure: tuple[str, ...] = ()


class _Cell(NamedTuple):
    """The cell of a variable."""

    name: str


class _Result:
    """What a call made of a function: a class, a decorated function, or the definition that has type parameters."""

    def __init__(self, use: Use) -> None:
        self.use = use


class _ClassBuilder:
    """``__build_class__``, until it is called with ``body``."""

    body: Use | None = None


def uses_of(instructions: list[Instruction]) -> dict[RawCode, Use]:
    """The use of each code object that the instructions make a function of; the first one, if there are several."""
    return _Uses().found_in(instructions)


class _Uses:
    def __init__(self) -> None:
        self.found: dict[RawCode, Use] = {}

    def found_in(self, instructions: list[Instruction]) -> dict[RawCode, Use]:
        stack: list[Any] | None = []
        entered: dict[int, list[Any]] = {}  # the stacks at targets of jumps, forward only
        for index, instruction in enumerate(instructions):
            if index in entered:
                known = entered[index]
                same = zip(stack, known) if stack is not None else zip(known, known)
                stack = [one if one is other else None for one, other in same]
            elif stack is None:
                stack = []
            if instruction.target > index:
                entered.setdefault(instruction.target, _after(stack, instruction, jump=True))
            if instruction.op in _LOADS:  # of a value that is no definition and leads to none
                stack.append(None)
            elif instruction.op == "CONST" and not (stack and type(stack[-1]) is Use):
                stack.append(instruction.arg if type(instruction.arg) in (str, RawCode) else None)
            elif instruction.op in NO_FALL_THROUGH:
                stack = None
            else:
                self.step(stack, instruction)
        return self.found

    def step(self, stack: list[Any], instruction: Instruction) -> None:
        """Do with ``stack`` what the instruction does; below its entries are others, of which nothing is known."""
        op, arg = instruction.op, instruction.arg
        if op == "SWAP":
            if len(stack) >= arg:
                stack[-arg], stack[-1] = stack[-1], stack[-arg]
            return
        if op == "COPY":
            value = stack[-arg] if len(stack) >= arg else None
            for use in _definition(value):
                use.is_shared = True
            stack.append(value)
            return
        pops, pushes = stack_use(instruction)
        taken = stack[-pops:] if pops else []
        if pops:
            del stack[-pops:]
            taken[:0] = [None] * (pops - len(taken)) if not taken[pops - 1 :] else ()
        if pushes == 1:
            stack.append(self.value(op, arg, taken, stack))
        elif pushes:
            stack += [None] * pushes
        elif op in _STORES:
            for use in _definition(taken[0]):
                if use.stored is None:
                    use.stored, use.is_global = arg, op == "STORE_GLOBAL"

    def value(self, op: str, arg: Any, taken: list[Any], below: list[Any]) -> Any:
        """What the instruction pushes: a Use if it may be a definition, else something that leads to one."""
        if op == "CONST":
            if type(arg) is str and below and type(below[-1]) is Use and below[-1].role == "class":
                below[-1].given = below[-1].given or arg
            return arg if type(arg) is str or type(arg) is RawCode else None
        if op == "NULL":
            return _NULL
        if op == "LOAD_BUILD_CLASS":
            return _ClassBuilder()
        if op in ("GET_ITER", "GET_AITER"):
            return _ITERATOR
        if op == "LOAD_CLOSURE":
            return _Cell(arg)
        if op == "BUILD_TUPLE":
            return tuple(taken)
        if op == "MAKE_FUNCTION":
            return self.made(arg, taken, below)
        if op in _CALLS:
            return _called([value for value in taken if value is not _NULL], op, arg, _NULL not in taken)
        return _of_type_parameters(arg[0], taken) if op == "INTRINSIC" else None

    def made(self, parts: tuple[str, ...], taken: list[Any], below: list[Any]) -> Use | None:
        if not isinstance(taken[-1], RawCode):
            return None
        for part, value in zip(parts, taken):
            if part == "annotate" and isinstance(value, Use):
                value.role, value.annotated = "annotations", taken[-1]
        use = self.found.setdefault(taken[-1], Use(taken[-1]))
        for part, value in zip(parts, taken):
            if part == "closure" and type(value) is tuple:
                use.closure = tuple(cell.name for cell in value if isinstance(cell, _Cell))
        use.is_annotated = "annotations" in parts or "annotate" in parts
        builder = next((value for value in reversed(below) if value is not _NULL), None)
        if isinstance(builder, _ClassBuilder) and builder.body is None:
            builder.body, use.role = use, "class"
        return use


def _after(stack: list[Any], instruction: Instruction, *, jump: bool = False) -> list[Any]:
    pops, pushes = stack_use(instruction, jump=jump)
    return stack[: max(0, len(stack) - pops)] + [None] * pushes


def _definition(value: Any) -> list[Use]:
    """The function that ``value`` is, or is made of."""
    found = value.use if type(value) is _Result else value
    return [found] if type(found) is Use else []


def _called(values: list[Any], op: str, arg: Any, may_decorate: bool) -> _Result | None:
    """What the call makes; ``may_decorate``: no empty slot says that it is an ordinary call."""
    builder = next((value for value in values if isinstance(value, _ClassBuilder)), None)
    if builder is not None:
        return _Result(builder.body) if builder.body is not None else None
    if op not in ("CALL", "CALL_FUNCTION") or arg[1]:
        return None
    function, *arguments = values
    if isinstance(function, Use) and len(arguments) == 1:
        function.role = "iterates" if arguments[0] is _ITERATOR else "called"
    decorated = _definition(arguments[0]) if may_decorate and len(arguments) == 1 else []
    made = decorated[0] if decorated else function
    return _Result(made) if isinstance(made, Use) else None


def _of_type_parameters(name: str, taken: list[Any]) -> Any:
    if name == "TYPEALIAS" and type(taken[0]) is tuple and len(taken[0]) == 3:
        given, late = taken[0][0], taken[0][2]
    elif name == "SET_FUNCTION_TYPE_PARAMS":
        function = next((value for value in taken if isinstance(value, Use)), None)
        if function is not None:
            function.role = "generic"
        return function
    else:  # what makes a type parameter has its name, what gives it a default has it too
        given, late = taken[0], taken[-1]
    if isinstance(late, Use) and isinstance(given, str):
        late.role, late.given = "alias" if name == "TYPEALIAS" else "late", given
    return late if name == "TYPEALIAS" else given
