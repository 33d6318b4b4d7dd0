"""What lines and columns show of the statement that leaves a block: its keyword, and whether a return is explicit."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from ..bytecode import Instruction, RawCode, known_instructions, unbound_name
from ..bytecode.code.flags import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_VARARGS, CO_VARKEYWORDS
from ..bytecode.instruction import EMPTY_BODY, Position
from ..bytecode.kinds import kind_of
from ..flowgraph import BasicBlock, ControlFlowGraph
from ..flowgraph.stack_entries import ITERATES
from ..flowgraph.written_returns import written_return
from ..syntax import nodes
from .columns import (
    begins_with_exit,
    calls_exit,
    column_of_jump,
    is_behind_nop,
    is_pass_in,
    leads_to_cleanup,
    leaves_with,
    returns_by_exit,
)
from .values import Cell

_KEYWORDS = {len(keyword): keyword for keyword in ("break", "return", "continue")}
_UNWINDS = frozenset({"NOP", "POP", "SWAP", "POP_EXCEPT", "JUMP"})
_LEFT = frozenset({"NOP", "POP_EXCEPT"})
_LOADS_NONE = frozenset({"CONST", "RETURN_VALUE"})
_MAY_LEAVE = _UNWINDS | _LOADS_NONE | {"CALL", "DELETE_FAST", "STORE_FAST"}
_ENDS_CLASS = frozenset({"CONST", "STORE_STATIC_ATTRIBUTES", "RETURN_VALUE"})
_INDENTATIONS = frozenset({*range(0, 41, 4), *range(2, 18, 4)})
"""Start columns of statements indented with spaces."""


class ExitEvidence:
    """Reads the positions of the instructions in one graph."""

    def __init__(self, graph: ControlFlowGraph, raw: RawCode) -> None:
        self.graph = graph
        self.raw = raw
        self.instructions = known_instructions(raw)
        self.has_lines = any(i.line is not None for block in graph.blocks for i in block.instructions)
        operations = {i.op for block in graph.blocks for i in block.instructions}
        self.left = [i for block in graph.blocks for i in block.instructions if i.op in _LEFT]  # of a `break`, say
        self.has_left_lines = any(i.position is not None and i.position[2] is None for i in self.left)
        self.has_with = not operations.isdisjoint(("BEFORE_WITH", "BEFORE_ASYNC_WITH"))

    # The statement of a jump

    def keyword_before(self, block: BasicBlock) -> str | None:
        """The statement that left the NOP at the beginning of ``block``, or the return that ends a loop at its end and
        leaves a with statement or runs a ``finally`` body then.
        """
        instructions = block.instructions
        if instructions and instructions[-1].op == "POP" and leads_to_cleanup(block):
            keyword = self.keyword_of(block, len(instructions) - 1)
            if keyword in ("return", "return None"):
                return keyword
            if self.has_line_of_its_own(block):
                return "leaves a loop"
        if instructions and instructions[0].op == "NOP":
            is_exit = calls_exit(instructions, 4)
            if is_exit and self.has_line_of_exit(instructions[0]):
                return "leaves"
            if is_exit or block.follows_copy:
                return self.keyword_of(block, 0)
            if all(i.op == "NOP" for i in instructions):
                return "pass"
        return None

    def has_line_of_its_own(self, block: BasicBlock) -> bool:
        """Whether the last instruction of ``block`` has a line, without columns, that what is before does not have."""
        last = block.instructions[-1]
        if last.position is None or last.position[2] is not None or not self.raw.table.behavior.exits_are_copied:
            return False
        before = block.instructions[-2:-1] or [one.last for one in self.sources.get(block, ()) if one.last is not None]
        return last.line is not None and all(one.op in _UNWINDS or one.line != last.line for one in before)

    def has_line_of_exit(self, nop: Instruction) -> bool:
        """Whether the operation on the block stack that follows ``nop`` has another line, without columns (3.10).

        A statement that leaves a with statement gives it the line of that statement; else it has the preceding line.
        """
        following = self.raw.positions()[nop.offset // 2 + 1 :][:1]
        return nop.line is not None and bool(following) and following[0][2] is None and following[0][0] != nop.line

    def is_pass(self, block: BasicBlock) -> bool:
        """Whether ``block``, which ends with a jump, does nothing else, from a place of its own that is as wide as
        ``pass``, or past an empty arm.
        """
        jump = block.instructions[-1]
        if block.follows_copy:
            return False
        if jump.arg == EMPTY_BODY:
            return True
        if any(i.op not in _UNWINDS for i in block.instructions):
            return False
        if jump.position is None or None in jump.position:
            return False
        line, end_line, column, end_column = jump.position
        if line != end_line or end_column - column != len("pass"):
            return False
        lasts = [source.last for source in self.sources.get(block, ())]
        return all(last is None or last.op == "POP_EXCEPT" or last.position != jump.position for last in lasts)

    def keyword_of(self, block: BasicBlock, position: int) -> str | None:
        """The keyword that leaves a handler at the instruction at ``position``, by its columns; '' for no statement."""
        columns = block.instructions[position].position
        if columns is None or not self.has_lines or not self.raw.table.behavior.exits_are_copied:
            return None
        lasts = [source.last for source in self.sources.get(block, ())]
        before = [block.instructions[position - 1]] if position else [last for last in lasts if last is not None]
        if columns[0] is None or any(other.position == columns and other.op not in _UNWINDS for other in before):
            return ""
        if None in columns:
            return "" if self.ends_before_a_return(block, position) else None
        if columns in self.evaluated or columns in self.calls:  # of a pattern that did not match, or a statement
            return ""
        if columns[0] != columns[1]:
            return None
        width = columns[3] - columns[2]
        return "return None" if width == len("None") and self.follows_return(columns) else _KEYWORDS.get(width)

    def ends_before_a_return(self, block: BasicBlock, position: int) -> bool:
        """Whether the handler that ends at ``position`` is left for the return of a constant on another line."""
        end, following = block.instructions[position], block.instructions[position + 1 :]
        if unbound_name(following[:3]) is not None:
            following = following[3:]
        if [i.op for i in following] == ["JUMP"] or not following:
            after = block.target if following else block.fall
            following = after.instructions if after is not None and not after.follows_copy else []
        is_return = [i.op for i in following] == ["CONST", "RETURN_VALUE"]
        return is_return and end.op == "POP_EXCEPT" and following[-1].line not in (None, end.line)

    def is_continue(self, block: BasicBlock) -> bool:
        """Whether the jump at the end of ``block`` is alone on its line, and as wide as ``continue``.

        Without columns, one at the start of a for loop's body could also be a ``pass``.
        """
        jump = block.instructions[-1]
        if jump.line is None:
            return False
        if jump.position is not None and jump.position[2] is not None:
            line, end_line, column, end_column = jump.position
            if line != end_line or end_column - column != len("continue"):
                return False
        elif len(block.instructions) > 1 and self.instructions_on[block.instructions[-2].line] & ITERATES:
            return False
        lines = self.instructions_on
        return len(lines) > 1 and lines[jump.line] == {"JUMP"} and len(self.targets_on[jump.line]) == 1

    @cached_property
    def targets_on(self) -> dict[int | None, set[BasicBlock]]:
        """Where the jumps on each line lead: a `pass` that is the body of an inner loop has the jumps of both."""
        found: dict[int | None, set[BasicBlock]] = {}
        for block in self.graph.blocks:
            if block.last is not None and block.last.op == "JUMP" and block.target is not None:
                found.setdefault(block.last.line, set()).add(block.target)
        return found

    @cached_property
    def instructions_on(self) -> dict[int | None, set[str]]:
        """The operations on each line, without those of an implicit return that has the line before it (up to 3.9)."""
        found: dict[int | None, set[str]] = {}
        blocks, last = self.graph.blocks, self.graph.blocks[-1]
        is_uncopied = not self.raw.table.behavior.exits_are_copied
        if is_uncopied and last.operations() == ["CONST", "RETURN_VALUE"] and self.ends_the_code(last):
            blocks = blocks[:-1]
        for line, operation in {(i.line, i.op) for block in blocks for i in block.instructions}:
            if line in found:
                found[line].add(operation)
            else:
                found[line] = {operation}
        return found

    # Returns

    def of_return(self, block: BasicBlock, known: dict[str, Any], value: nodes.Expression) -> dict[str, Any]:
        """The fields of evidence for the return of ``value`` at the end of ``block``, of which others are ``known``."""
        loads_last = len(block.instructions) > 1 and block.instructions[-2].op == "CONST"
        is_uncopied = not self.raw.table.behavior.exits_are_copied
        is_behind_finally, keyword = known["is_behind_finally"], known["keyword"]
        unwinds = keyword in ("return", "return None")
        if block.follows_copy and not is_uncopied:
            is_behind_finally = self.is_behind_finally(block)
        returns_cell = isinstance(value, Cell)  # __class__, returned to the caller of the class body
        is_implicit = self.is_implicit_return(block) if loads_last else returns_cell
        is_implicit = is_implicit and not unwinds
        is_none = type(value) is nodes.Constant and value.value is None
        if keyword == "break" and loads_last and is_none:
            is_implicit = True
        written = self.written_as(block) if loads_last and block.instructions[-2].arg is None else None
        if written is None and is_none:
            written = keyword if unwinds else self.written_before(block)
        if is_implicit is not False and not self.is_class:
            is_idle = written in ("pass", "...") and block.instructions[-1].position not in self.called
            written = written if is_idle else None
        return {
            "loads_last": loads_last, "is_uncopied": is_uncopied, "is_behind_finally": is_behind_finally,
            "is_implicit_return": is_implicit, "written": written,
        }  # fmt: skip

    def is_behind_finally(self, block: BasicBlock) -> bool:
        """Whether the return at the end of ``block``, after a copy of a ``finally`` body, is behind the statement or
        is written nowhere.
        """
        last, copy_end = block.instructions[-1], block.copy_end
        constant = block.instructions[-2] if len(block.instructions) > 1 else last
        returns_none = constant.op == "CONST" and constant.arg is None
        if copy_end is None or last.line is copy_end.line is None or self.returns_from_handler(block):
            return False
        if constant.op == "CONST" and returns_by_exit(block.instructions):
            return returns_none and self.written_before(block) is None
        if begins_with_exit(block.instructions):
            return False  # its value was evaluated before
        return returns_none or last.position != copy_end.position

    def returns_from_handler(self, block: BasicBlock) -> bool:
        """Whether what leads to ``block`` leaves a handler, and is as wide as ``return`` or a constant after it."""
        sources = self.sources.get(block, [])
        return len(sources) == 1 and self.keyword_at_end(sources[0]) in ("return", "return None")

    def keyword_at_end(self, block: BasicBlock) -> str | None:
        """The keyword by which the end of ``block`` leaves a handler; None if it does not."""
        instructions = self.without_unbinding(block.instructions)
        if not instructions or instructions[-1].op != "POP_EXCEPT":
            return None
        return self.keyword_of(block, len(instructions) - 1)

    def written_before(self, block: BasicBlock) -> str | None:
        """The source form of the return of None that leaves a with statement at the end of ``block``."""
        position = written_return(block, self.sources) if self.left else None
        if position is None or position in self.evaluated:  # the latter is a pattern's
            return None
        return "return" if position[3] - position[2] == len("return") else "return None"

    def with_value(self, block: BasicBlock) -> list[Instruction]:
        """The instructions of ``block``, after those of the blocks that evaluate the value it returns and leave the
        statements around, or that leave with statements and handlers for the return of a constant.
        """
        found = block.instructions
        is_constant = len(found) > 1 and found[-2].op == "CONST"
        for _ in range(4):
            sources = self.sources.get(block, [])
            if len(sources) != 1:
                break
            (block,) = sources
            if is_constant and not self.keyword_at_end(block) and not leaves_with(block.instructions):
                break
            found = block.instructions + found
        return found

    @cached_property
    def is_class(self) -> bool:
        return kind_of(self.raw) == "class"

    def written_as(self, block: BasicBlock) -> str | None:
        """The source form of the return of None at the end of ``block``, which has its own position.

        The position of ``return None`` is that of its value, which is as wide as ``pass``.
        """
        value, last = block.instructions[-2:]
        position = last.position
        if value.position != position or position is None or None in position or position[0] != position[1]:
            return None
        if position in self.evaluated:
            return None
        width = position[3] - position[2]
        if width == len("pass") == len("None"):
            return "return None" if self.follows_return(position) else "pass"
        return {len(keyword): keyword for keyword in ("return", "...")}.get(width)

    def follows_return(self, position: Position) -> bool:
        """Whether the column of ``position`` is one after ``return``, not a start column of a statement.

        On its own line that shows because indentation is even, and ``return`` and a blank make the column odd.
        """
        line, column = position[0], position[2]
        before = [p[3] for p in self.positions if p[1] == line and p[3] and p[3] <= column]
        if before:
            return bool(column - max(before) > len("return "))
        apart = column - len("return ")
        if line == self.raw.firstlineno:
            return False
        if all(p[0] in (line, self.raw.firstlineno) for p in self.positions):  # it may be on the line of the `def`
            header = self.width_of_def() + 4 * self.raw.qualname.replace(".<locals>", "").count(".")
            for start, follows in ((column, False), (apart, True)):
                if start >= header and (start - header) % 4 == 0:
                    return follows
        return apart in _INDENTATIONS

    def width_of_def(self) -> int:
        """The width of ``def name(parameters): ``, or ``async def``, without annotations and default values."""
        raw = self.raw
        names = [*raw.parameters]
        if raw.flags & CO_VARKEYWORDS:
            names[-1] = "**" + names[-1]
        if raw.flags & CO_VARARGS:
            at = raw.argcount + raw.kwonlyargcount
            names[at] = "*" + names[at]
        elif raw.kwonlyargcount:
            names.insert(raw.argcount, "*")
        keyword = "async def" if raw.flags & (CO_COROUTINE | CO_ASYNC_GENERATOR) else "def"
        return len(f"{keyword} {raw.name}({', '.join(names)}): ")

    @cached_property
    def evaluated(self) -> set[Position]:
        """The positions of instructions outside of statements that only leave the code."""
        return self.evaluated_but(_ENDS_CLASS if self.is_class else _MAY_LEAVE)

    @cached_property
    def computed(self) -> set[Position]:
        """The same, without those that end a copy of a ``finally`` body in the place of a jump."""
        return self.evaluated_but(_MAY_LEAVE | {"RERAISE"})

    def evaluated_but(self, operations: frozenset[str]) -> set[Position]:
        """The positions of instructions but ``operations``, and of stores that are not the end of an except clause."""
        found = self.positions_but(operations)
        for one, after in zip(self.instructions, self.instructions[1:]):
            # Leaving an except clause stores None in the variable and deletes it.
            leaves = after.op == "DELETE_FAST" and after.arg == one.arg
            if one.op == "STORE_FAST" and one.position is not None and not leaves:
                found.add(one.position)
        return found

    @cached_property
    def starts(self) -> set[tuple[int | None, int | None]]:
        """The lines and columns where those begin."""
        return {(position[0], position[2]) for position in self.evaluated}

    @cached_property
    def calls(self) -> set[Position]:
        """The positions of calls: one may be as wide as a keyword."""
        return {i.position for i in self.instructions if i.op == "CALL" and i.position is not None}

    @cached_property
    def called(self) -> set[Position]:
        """The positions of all that does not just leave the code: a call may be as wide as ``pass``."""
        return self.positions_but(_UNWINDS | _LOADS_NONE)

    def positions_but(self, operations: frozenset[str]) -> set[Position]:
        """The known positions of instructions other than these ``operations``."""
        found = {i.position for i in self.instructions if i.op not in operations}
        found.discard(None)
        return found  # type: ignore[return-value]

    @cached_property
    def positions(self) -> set[Position]:
        """All known positions of instructions."""
        found = {i.position for block in self.graph.blocks for i in block.instructions}
        found.discard(None)
        return found  # type: ignore[return-value]

    def is_implicit_return(self, block: BasicBlock) -> bool | None:
        """Whether the return has no position of its own: none, or that of the preceding instruction.

        None where lines alone don't distinguish a ``return`` from a ``break`` to the end of the code.
        """
        instructions = [i for i in block.instructions if i.op != "NOP"]
        position = instructions[-1].position
        if position is None or not self.has_lines or instructions[-2].arg is not None:
            return False  # an implicit return gives None; `False` is as wide as `break`
        if position[0] is not None and position[2] is None:
            return self.is_implicit_by_line(block)
        if position[0] is None or position[0] == position[1] and position[3] - position[2] == len("break"):
            return True
        if self.written_before(block) is not None:
            return False
        for instruction in reversed(self.without_unbinding(instructions[:-2])):
            if instruction.position != position or instruction.op not in _UNWINDS:
                return instruction.position == position or _may_be_second_at(instruction, instructions, position)
        if block.copy_end is not None:
            return block.copy_end.position == position
        # A pattern that does not match is dropped at its own position, and no `return` is where a value is computed.
        is_dropped = not block.follows_copy and (position[0], position[2]) in self.starts
        return is_dropped or self.comes_after_its_position(block, position)

    def column_of_jump(self, instruction: Instruction) -> int | None:
        """The start column of the ``break`` or ``continue`` that is a jump, or a copy of the implicit return: it is as
        wide, and nothing else is there.
        """
        column, position = column_of_jump(instruction), instruction.position
        return None if column is None or position in self.computed or position in self.calls else column

    def is_implicit_by_line(self, block: BasicBlock) -> bool | None:
        """The same for a return that has a line but no columns."""
        if self.has_columns:
            return True  # it has the line of the preceding instruction
        if not self.raw.table.behavior.exits_are_copied:
            return self.ends_the_code(block)
        line = block.instructions[-1].line
        if line is not None and (line in self.lines_before_none or is_behind_nop(block.instructions)):
            return True
        return self.has_line_of_jump(block) or self.ends_a_line(block)

    @cached_property
    def lines_before_none(self) -> range:
        """The lines where no ``return`` is: its None would be among ``co_consts`` before what only later lines load."""
        constants = self.raw.consts
        place = next((at for at, one in enumerate(constants) if one is None), 0)
        if not place:
            return range(0)
        before = {id(one) for one in constants[:place]}
        first: dict[int, int] = {}  # the first line that loads each of them
        for block in self.graph.blocks:
            for i in block.instructions:
                if i.op == "CONST" and i.line is not None and id(i.arg) in before:
                    first[id(i.arg)] = min(i.line, first.get(id(i.arg), i.line))
        return range(max(first.values(), default=0))

    def comes_after_its_position(self, block: BasicBlock, position: Position) -> bool:
        """Whether all predecessors of ``block`` end at ``position``, or end a clause with a ``pass`` there."""
        sources = self.sources.get(block, [])
        is_as_wide = position[0] == position[1] and position[3] - position[2] == len("return")
        lasts = [self.last_before(source, position) if is_as_wide else source.last for source in sources]
        return bool(lasts) and all(
            last is not None and (last.position == position or is_pass_in(last.position, position)) for last in lasts
        )

    @cached_property
    def sources(self) -> dict[BasicBlock, list[BasicBlock]]:
        return self.graph.predecessors()

    @cached_property
    def has_columns(self) -> bool:
        """Whether positions have columns: then only implicit instructions have none."""
        return not {position[2] for position in self.positions} <= {None}

    def has_line_of_jump(self, block: BasicBlock) -> bool:
        """Whether the return is reached only by jumps from tests on its line: `if a: return` falls into its own."""
        sources = self.sources.get(block, [])
        line = block.instructions[-1].line
        jumps = [source.last for source in sources if source.fall is not block]
        return 0 < len(sources) == len(jumps) and all(jump is not None and jump.line == line for jump in jumps)

    def ends_the_code(self, block: BasicBlock) -> bool:
        """Whether the return is the last instruction of the code, and not on a line after all others."""
        last = block.instructions[-1]
        if last.offset + 2 != len(self.raw.bytecode):
            return False
        lines = {i.line for other in self.graph.blocks for i in other.instructions if i.offset < last.offset - 2}
        return max([line for line in lines if line is not None], default=-1) >= (last.line or 0)

    def ends_a_line(self, block: BasicBlock) -> bool | None:
        """Whether the return at the end of ``block`` has the line of the preceding statement.

        None after instructions that unwind statements: they belong to the return or to a ``break``.
        """
        at = self.graph.blocks.index(block)
        line = block.instructions[-1].line
        unwinds = False
        for source in reversed(self.graph.blocks[: at + 1]):
            instructions = self.without_unbinding(source.instructions[:-2]) if source is block else source.instructions
            for instruction in reversed(instructions):
                if instruction.line is None and instruction.op == "POP":
                    continue  # of an expression statement: it never has a line
                if instruction.line != line or instruction.op not in _UNWINDS:
                    return instruction.line == line or (None if unwinds else False)
                unwinds = unwinds or instruction.op != "NOP"
            if source.copy_end is not None:
                return source.copy_end.line == line
        return False

    def last_before(self, block: BasicBlock, position: Position) -> Instruction | None:
        """The last instruction of ``block`` or before it that does not leave a statement at ``position``.

        Instructions that end loops and clauses have the position of the ``return`` that leaves them.
        """
        for _ in range(4):
            for instruction in reversed(self.without_unbinding(block.instructions)):
                if instruction.op not in _UNWINDS or instruction.position != position:
                    return instruction
            sources = self.sources.get(block, [])
            if len(sources) != 1:
                break
            (block,) = sources
        return block.last

    def without_unbinding(self, instructions: list[Instruction]) -> list[Instruction]:
        """``instructions`` without those at the end that unbind the name of ``except ... as name``."""
        if len(instructions) > 3 and instructions[-4].op == "POP_EXCEPT" and instructions[-1].op.startswith("DELETE_"):
            return instructions[:-3]
        return instructions


def _may_be_second_at(instruction: Instruction, instructions: list[Instruction], position: Position) -> bool:
    """Whether ``instruction`` is the second store of a fused pair and may be at ``position``; its own is lost."""
    line, end_line, column, end_column = position
    is_second = any(one.offset == instruction.offset and one is not instruction for one in instructions)
    if instruction.op != "STORE_FAST" or not is_second or instruction.position is None:
        return False
    start = instruction.position
    return bool(start[0] == line == end_line and start[3] < column and end_column - column == len(str(instruction.arg)))
