"""Facts about the compiler and the interpreter of one CPython version that its opcodes don't imply."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Behavior:
    """One version's facts. The defaults are those of 3.7; each ``pyXY.py`` has the changes of its version.

    A fact belongs here if no opcode implies it. A comment at each value names the function in CPython's source, and
    tests/bytecode/test_behavior.py demonstrates it with a snippet compiled by every version.
    """

    # How code is laid out.

    handlers_are_last: bool = False
    """Handlers of exceptions follow all other code."""

    else_is_last: bool = True
    """The else clause of a try statement follows the handlers."""

    exits_are_copied: bool = False
    """A jump to the implicit return at the end of a function becomes a copy of it, and in most versions so does one to
    any short block that leaves the code. Before, only a jump to a RETURN_VALUE did."""

    loop_tests_are_copied: bool = False
    """A while loop has its test at the bottom too; only ``continue`` jumps to the one at the top."""

    tests_jump_on_line_of_statement: bool = False
    """The jump after each test of ``if a and b`` has the line of the statement, whatever the line of the test."""

    lines_leave_nops: bool = False
    """A line whose instructions are optimised away keeps a NOP (PEP 626): line breaks change the code."""

    # What is folded, dropped or rewritten.

    folds_constant_tests: bool = False
    """``True and x`` is compiled to ``x`` alone."""

    folded_tests_stay: bool = False
    """A test of a constant that is folded from an expression, as in ``while 1 + 1``, is compiled; one of a literal
    never is."""

    folds_percent_formats: bool = False
    """``"%s" % (x,)`` is compiled as an f-string is."""

    joins_long_strings: bool = False
    """An f-string of more than 30 parts is compiled to a call of ``"".join`` with a list."""

    keeps_not: bool = False
    """``if not a in b`` is not turned into ``if a not in b``."""

    folded_constants_are_last: bool = False
    """A constant that is folded from an expression follows all literals in ``co_consts``. Of its operands, only what
    has the first index stays there."""

    slices_are_constants: bool = False
    """A slice whose bounds are constants is a constant."""

    folds_beginnings_of_displays: bool = False
    """``[1, 2, 3, *x]`` begins with one constant, as ``[*(1, 2, 3), *x]`` does. No effect before 3.9, which joins
    tuples."""

    drops_overwritten_stores: bool = False
    """Of two stores to one variable in a row, on one line, the first only drops its value."""

    functions_of_imports_are_no_methods: bool = False
    """``name.f()`` loads ``f`` as a plain attribute, not as a method, if the enclosing module imports ``name``."""

    # What is added.

    annotations_are_lazy: bool = False
    """A function that the compiler adds evaluates the annotations (PEP 649)."""

    annotations_are_named_after_functions: bool = False
    """The qualified name of the function that evaluates annotations extends that of the function that has them."""

    mappings_are_copied: bool = False
    """``f(**mapping)`` merges the mapping into a new dictionary, even if it is the only one."""

    generators_have_a_handler: bool = False
    """The code of a generator is inside a handler that replaces StopIteration (PEP 479)."""

    generator_expressions_iterate: bool = False
    """A generator expression calls iter() on its argument itself, in a frame that is hidden until the generator is
    made; before, the enclosing code does."""

    comprehensions_in_classes_save_all: bool = False
    """An inlined comprehension in a class saves every name that it mentions, and the iterator's."""

    some_releases_iterate_twice: bool = False
    """Some releases call iter() on the iterator of a comprehension again, in the loop of the comprehension."""

    asserts_have_lines_of_comparisons: bool = False
    """An assert statement raises on the line of the comparison that ends its test. No effect before 3.9, where
    AssertionError is an ordinary global."""

    # What the interpreter does.

    delegation_is_told_by: str = ""
    """Where ``throw`` reads whether a yield belongs to ``yield from`` or ``await``: in the "operand" of YIELD_VALUE or
    that of the "resume" after it; empty for neither (see dropped.py)."""

    close_is_told_by: str = ""
    """Where ``close`` reads whether only the handler of StopIteration surrounds a yield; as above."""

    resume_depth1_mask: int = 0
    """The bit of the "resume" operand that ``close`` reads."""

    frames_are_left_before_their_call: bool = False
    """An exception that leaves a frame which an instruction pushed is looked up at the code unit before that
    instruction."""

    def changed(self, **changes: Any) -> Behavior:
        """The same with some facts changed."""
        return replace(self, **changes)
