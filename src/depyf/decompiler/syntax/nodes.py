"""All classes of the syntax tree, to import from: `from depyf.decompiler.syntax import nodes`.

The classes mirror the names and fields of the newest CPython's `ast`, so that its documentation applies. They
are our own because the host's `ast` lacks the syntax of newer versions, and older hosts can't print theirs.
Differences: no contexts, no positions, no type comments; operators are plain
strings ('+', 'and', 'not in'); fields can be given by position or by keyword, lists and optional fields
default to empty; equality is structural.
"""

# ruff: noqa: F403
from .compound_statements import *
from .expressions import *
from .literals import *
from .node import *
from .parts import *
from .simple_statements import *
from .traverse import *
