"""lark: stand-alone parsers that it writes for grammars."""

from __future__ import annotations

import io

from lark import Lark
from lark.tools import standalone

GRAMMARS = {
    "json": """?start: value
?value: object | array | string | SIGNED_NUMBER -> number | "true" -> true | "null" -> null
array: "[" [value ("," value)*] "]"
object: "{" [pair ("," pair)*] "}"
pair: string ":" value
string: ESCAPED_STRING
%import common.ESCAPED_STRING
%import common.SIGNED_NUMBER
%import common.WS
%ignore WS
""",
    "sum": """start: product ("+" product)*
product.2: atom ("*" atom)~0..3
atom: NUMBER | "(" start ")" | NAME -> name
NAME: /[a-z_]+/i
NUMBER: /[0-9]+/
%ignore " "
""",
}


def generate(folder):
    codes = []
    for name, grammar in GRAMMARS.items():
        for options in ({}, {"propagate_positions": True, "maybe_placeholders": False}, {"keep_all_tokens": True}):
            out = io.StringIO()
            lark = Lark(grammar, parser="lalr", **options)
            standalone.gen_standalone(lark, out=out) if out else None
            codes.append(compile(out.getvalue(), f"{name}_parser.py", "exec", dont_inherit=True))
    return codes
