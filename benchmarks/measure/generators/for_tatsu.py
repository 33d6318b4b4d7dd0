"""TatSu: parsers and models that it writes."""

from __future__ import annotations

GRAMMAR = """
@@grammar :: Sums
@@whitespace :: /[ ]+/
start = expression $ ;
expression = left:expression op:('+' | '-') ~ right:term | term ;
term = '(' ~ @:expression ')' | number | ","%{ name }+ | {'x'}* !'y' &'z' ['w'] ;
number::Number = value:/[0-9]+/ ;
name = /[a-z]+/ @:() `{const}` | ?( /q/ )? ;
"""


def generate(folder):
    import tatsu

    codes = []
    for options in ({}, {"left_recursion": False}):
        for make in (tatsu.to_python_sourcecode, getattr(tatsu, "to_python_model", None)):
            for grammar in (GRAMMAR, GRAMMAR.replace(" | ?( /q/ )?", "").replace(" `{const}`", "")):
                try:
                    codes.append(compile(make(grammar, **options), "parser.py", "exec", dont_inherit=True))
                except Exception as error:
                    print(type(error).__name__, str(error)[:100])
    return codes
