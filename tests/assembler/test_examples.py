"""Programs that once were refused or needed too long: each is proven, and does the same on stand-ins."""

from __future__ import annotations

import types
from typing import Any, Dict

import pytest

from assembler.examine import examine, outcomes
from assembler.notation import Op, Program, program
from assembler.spellings import SPELLING

EXAMPLES = {
    "iterators made at two places meet": """
        function(a, b)
            LOAD_FAST a
            POP_JUMP_IF_FALSE other
            LOAD_GLOBAL f
            GET_ITER
            JUMP next
        other:
            LOAD_GLOBAL g
            GET_ITER
        next:
            FOR_ITER end
            STORE_FAST b
            JUMP next
        end:
            LOAD_FAST b
            RETURN_VALUE
    """,
    "a handler of two with statements": """
        function(a)
            LOAD_GLOBAL f
            SETUP_WITH handler
            POP
            LOAD_GLOBAL x
            POP
            POP_BLOCK
            EXIT_WITH
            LOAD_GLOBAL g
            SETUP_WITH handler
            POP
            LOAD_GLOBAL y
            POP
            POP_BLOCK
            EXIT_WITH
        end:
            LOAD_FAST a
            RETURN_VALUE
        handler:
            WITH_EXCEPT
            JUMP end
    """,
    "values are exchanged around an exit function": """
        function(a)
            LOAD_GLOBAL x
            LOAD_GLOBAL f
            SETUP_WITH handler
            LOAD_GLOBAL y
            SWAP 4
            LOAD_GLOBAL h
            BINARY_OP +
            STORE_FAST a
            POP
            POP_BLOCK
            EXIT_WITH
            RETURN_VALUE
        handler:
            WITH_EXCEPT
            RETURN_VALUE
    """,
    "a constant without a literal is tested": """
        function()
            LOAD_GLOBAL y
        next:
            CONST @Thing
            POP_JUMP_IF_TRUE end
            LOAD_GLOBAL x
            POP
            JUMP next
        end:
            RETURN_VALUE
    """,
    "a loop with two entries and a value below": """
        function(a, b)
            LOAD_GLOBAL f
            LOAD_FAST a
            POP_JUMP_IF_FALSE second
        first:
            LOAD_GLOBAL x
            BINARY_OP +
        second:
            LOAD_GLOBAL y
            BINARY_OP -
            LOAD_FAST b
            POP_JUMP_IF_TRUE first
            LOAD_GLOBAL g
            POP_JUMP_IF_TRUE second
            RETURN_VALUE
    """,
    "a handler of two ranges that goes back into one": """
        function(a)
            JUMP enter
        again:
            SETUP_FINALLY handler
            LOAD_GLOBAL g
            POP
            POP_BLOCK
            JUMP enter
        enter:
            SETUP_FINALLY handler
            LOAD_GLOBAL f
            LOAD_FAST a
            CALLABLE
            CALL 0
            POP
            POP
            POP_BLOCK
            LOAD_FAST a
            RETURN_VALUE
        handler:
            COPY_EXC
            LOAD_GLOBAL E0
            JUMP_IF_NOT_MATCH other
            POP
            POP_EXCEPT
            JUMP again
        other:
            RERAISE
    """,
    "a generator that yields inside an unfinished call, in a handler": """
        function(a) generator locals(u)
            LOAD_FAST a
            CALLABLE
            SETUP_FINALLY handler
            LOAD_GLOBAL f
            YIELD_VALUE
            POP_BLOCK
            CALL 1
            RETURN_VALUE
        handler:
            STORE_FAST u
            LOAD_FAST u
            YIELD_VALUE
            SWAP 2
            POP_EXCEPT
            CALL 1
            RETURN_VALUE
    """,
    "a comparison in a variable is used again": """
        function() locals(w)
            LOAD_GLOBAL h
            LOAD_GLOBAL x
            IS_OP 'is not'
            STORE_FAST w
            LOAD_GLOBAL h
            LOAD_FAST w
            STORE_ATTR p
            LOAD_FAST w
            RETURN_VALUE
    """,
    "a variable that is never bound": """
        function(a) locals(u) cells(c)
            LOAD_FAST a
            POP_JUMP_IF_FALSE other
            LOAD_FAST u
            RETURN_VALUE
        other:
            LOAD_DEREF c
            RETURN_VALUE
    """,
}


OF_PATTERNS = {
    "attributes are kept while something happens, and unpacked elsewhere": """
        function(a, b)
            LOAD_FAST a
            LOAD_FAST b
            MATCH_CLASS (1, ('p',))
            LOAD_GLOBAL f
            POP
            COPY 1
            POP_JUMP_IF_NONE end
            COPY 1
            UNPACK_SEQUENCE 2
            STORE_FAST a
            STORE_FAST b
            LOAD_FAST a
            LOAD_FAST b
            BUILD_TUPLE 3
            RETURN_VALUE
        end:
            RETURN_VALUE
    """,
    "a class is a constant, and the subject is one": """
        function(a)
            CONST 7
            CONST @int
            MATCHES_CLASS (0, ('real',))
            LOAD_FAST a
            CONST @object
            MATCH_CLASS (0, ())
            BUILD_TUPLE 2
            RETURN_VALUE
    """,
    "what kind it is, and how long, as values": """
        function(a)
            LOAD_GLOBAL f
            MATCH_SEQUENCE
            LOAD_FAST a
            MATCH_MAPPING
            LOAD_GLOBAL g
            GET_LEN
            BUILD_TUPLE 6
            RETURN_VALUE
    """,
    "a mapping with a value below it, in a loop": """
        function(a, b)
            LOAD_FAST b
            LOAD_GLOBAL f
        next:
            MATCH_KEYS ('k', 1) other
            UNPACK_SEQUENCE 2
            BUILD_LIST 4
            RETURN_VALUE
        other:
            POP
            LOAD_GLOBAL g
            JUMP next
    """,
}
if "GET_LEN" in SPELLING:
    EXAMPLES.update(OF_PATTERNS)


@pytest.mark.parametrize("text", EXAMPLES.values(), ids=EXAMPLES)
def test_it_is_proven_and_does_the_same(text: str) -> None:
    (outcome,) = outcomes([lambda: examine(program(text))])
    assert outcome.kind == "proven", outcome


def test_functions_of_one_code_made_at_two_places_keep_their_qualified_name() -> None:
    namespace: Dict[str, Any] = {}
    text = "def outer(c):\n def inner(z): return c\n return inner"
    exec(compile(text, "<inner>", "exec", dont_inherit=True), namespace)
    inner = next(c for c in namespace["outer"].__code__.co_consts if isinstance(c, types.CodeType))
    made = Op("MAKE_FUNCTION", (inner, ("c",)))
    items = (Op("LOAD_FAST", "a"), Op("STORE_DEREF", "c"), made, made, Op("BUILD_TUPLE", 2), Op("RETURN_VALUE"))
    (outcome,) = outcomes([lambda: examine(Program(items, ("a",), cells=("c",)))])
    assert outcome.kind == "proven", outcome


def test_what_is_no_iterator_is_not_iterated_over_with_for() -> None:
    text = """
        function(a)
            LOAD_FAST a
            ITERATOR
        next:
            FOR_ITER end
            POP
            JUMP next
        end:
            LOAD_FAST a
            RETURN_VALUE
    """
    (outcome,) = outcomes([lambda: examine(program(text))])
    assert outcome.kind == "refused", outcome
