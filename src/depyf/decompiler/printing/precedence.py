"""How tightly the constructs of an expression bind, loosest first, as in Python's grammar."""

from __future__ import annotations

from . import line_wrapping as marks

NAMED, TUPLE, YIELD, TEST, OR, AND, NOT, COMPARISON = range(8)
BIT_OR, BIT_XOR, BIT_AND, SHIFT, ARITHMETIC, PRODUCT, FACTOR, POWER, AWAIT, ATOM = range(8, 18)

# operator -> (precedence, what the left operand needs, what the right operand needs, the mark before the
# operator)
BINARY_OPERATORS = {
    "|": (BIT_OR, BIT_OR, BIT_XOR, marks.BIT_OR),
    "^": (BIT_XOR, BIT_XOR, BIT_AND, marks.BIT_XOR),
    "&": (BIT_AND, BIT_AND, SHIFT, marks.BIT_AND),
    "<<": (SHIFT, SHIFT, ARITHMETIC, marks.SHIFT),
    ">>": (SHIFT, SHIFT, ARITHMETIC, marks.SHIFT),
    "+": (ARITHMETIC, ARITHMETIC, PRODUCT, marks.SUM),
    "-": (ARITHMETIC, ARITHMETIC, PRODUCT, marks.SUM),
    "*": (PRODUCT, PRODUCT, FACTOR, marks.PRODUCT),
    "@": (PRODUCT, PRODUCT, FACTOR, marks.PRODUCT),
    "/": (PRODUCT, PRODUCT, FACTOR, marks.PRODUCT),
    "//": (PRODUCT, PRODUCT, FACTOR, marks.PRODUCT),
    "%": (PRODUCT, PRODUCT, FACTOR, marks.PRODUCT),
    "**": (POWER, AWAIT, FACTOR, " "),
}
BOOLEAN_OPERATORS = {"or": OR, "and": AND}
UNARY_OPERATORS = {"not": ("not ", NOT), "-": ("-", FACTOR), "+": ("+", FACTOR), "~": ("~", FACTOR)}
COMPARISON_OPERATORS = frozenset(["<", "<=", ">", ">=", "==", "!=", "is", "is not", "in", "not in"])
