"""Loads, stores and deletions of names, attributes and items; the stack itself."""

from __future__ import annotations

from ...bytecode import Instruction
from ...syntax import nodes
from ..symbolic_stack import SymbolicStack
from ..values import Cell, GenericBase, Namespace, Null, Saved, is_namespace
from .registry import handles


@handles("NOP", "LETS_STOP_ITERATION_PASS", "RETURN_GENERATOR", "STORE_FIRST_LINE", "STORE_STATIC_ATTRIBUTES")
@handles("SETUP_ANNOTATIONS")  # implied by the annotations themselves
def _nop(state: SymbolicStack, instruction: Instruction) -> None:
    return


@handles("NULL")
def _null(state: SymbolicStack, instruction: Instruction) -> None:
    state.push(Null())


@handles("POP")
def _pop(state: SymbolicStack, instruction: Instruction) -> None:
    state.discard(state.take())


@handles("PRINT_EXPR")
def _print(state: SymbolicStack, instruction: Instruction) -> None:
    state.emit(nodes.Expr(state.pop()))


@handles("COPY")
def _copy(state: SymbolicStack, instruction: Instruction) -> None:
    if instruction.arg > len(state.stack):
        state.refuse("the stack is too short")
    if instruction.arg > 1:
        state.settle_copies(instruction.arg)
    state.push(state.stack[-instruction.arg])


@handles("SWAP")
def _swap(state: SymbolicStack, instruction: Instruction) -> None:
    stack, depth = state.stack, instruction.arg
    if depth > len(stack):
        state.refuse("the stack is too short")
    state.settle_copies(depth)
    state.number()
    stack[-1], stack[-depth] = stack[-depth], stack[-1]


@handles("LOAD_LOCALS")
def _load_locals(state: SymbolicStack, instruction: Instruction) -> None:
    state.push(Namespace())


@handles("LOAD_FROM_DICT_OR_DEREF", "LOAD_FROM_DICT_OR_GLOBALS")
def _load_from_class(state: SymbolicStack, instruction: Instruction) -> None:
    namespace = state.take()
    if not is_namespace(namespace):
        state.refuse("a name is looked up in something that is no class")
    state.push(nodes.Name(instruction.arg))


@handles("MAKE_CELL")
def _make_cell(state: SymbolicStack, instruction: Instruction) -> None:
    for value in state.stack:  # an inlined comprehension's variable that a function in it reads
        if isinstance(value, Saved) and value.name == instruction.arg:
            value.is_cell = True


@handles("STORE_FAST", "STORE_DEREF", "STORE_GLOBAL", "STORE_NAME")
def _store(state: SymbolicStack, instruction: Instruction) -> None:
    value = state.take()
    if type(value) is GenericBase:
        return  # implied by the type parameters
    if type(value) is Saved:
        if instruction.op != "STORE_FAST" or instruction.arg != value.name:
            state.refuse("a variable that a comprehension hides is put elsewhere")
        state.restored()
        return
    if type(value) is Cell or type(value) is Namespace:  # added to a class body by the compiler
        if instruction.arg not in ("__classcell__", "__classdictcell__", "__classdict__"):
            state.refuse("a cell is stored")
        return
    state.store(nodes.Name(instruction.arg), value)


@handles("DELETE_FAST", "DELETE_DEREF", "DELETE_GLOBAL", "DELETE_NAME")
def _delete(state: SymbolicStack, instruction: Instruction) -> None:
    state.delete(nodes.Name(instruction.arg))


@handles("LOAD_ATTR")
def _load_attr(state: SymbolicStack, instruction: Instruction) -> None:
    state.push(nodes.Attribute(state.pop(), instruction.arg))


@handles("LOAD_SUPER_ATTR")
def _load_super_attr(state: SymbolicStack, instruction: Instruction) -> None:
    name, with_arguments = instruction.arg
    function, *arguments = state.pop_many(3)
    state.push(nodes.Attribute(nodes.Call(function, arguments if with_arguments else []), name))


@handles("STORE_ATTR")
def _store_attr(state: SymbolicStack, instruction: Instruction) -> None:
    owner = state.pop()
    state.store(nodes.Attribute(owner, instruction.arg), state.take())


@handles("DELETE_ATTR")
def _delete_attr(state: SymbolicStack, instruction: Instruction) -> None:
    state.delete(nodes.Attribute(state.pop(), instruction.arg))


@handles("BINARY_SUBSCR")
def _subscript(state: SymbolicStack, instruction: Instruction) -> None:
    owner, key = state.pop_many(2)
    state.push(nodes.Subscript(owner, key))


@handles("STORE_SUBSCR")
def _store_subscript(state: SymbolicStack, instruction: Instruction) -> None:
    owner, key = state.pop_many(2)
    state.store(nodes.Subscript(owner, key), state.take())


@handles("DELETE_SUBSCR")
def _delete_subscript(state: SymbolicStack, instruction: Instruction) -> None:
    owner, key = state.pop_many(2)
    state.delete(nodes.Subscript(owner, key))


@handles("UNPACK_SEQUENCE")
def _unpack(state: SymbolicStack, instruction: Instruction) -> None:
    state.unpack(instruction.arg, None)


@handles("UNPACK_EX")
def _unpack_star(state: SymbolicStack, instruction: Instruction) -> None:
    before, after = instruction.arg
    state.unpack(before + 1 + after, before)
