"""Match statements: the code that tests the patterns becomes one test per case.

Takes a graph whose ``match`` statements are still the compiler's tests, with the subject on the stack. On exit each is
a chain of ``MATCH_CASE`` and ``MATCH_ELSE`` (``bytecode/instruction.py``) with the patterns as syntax, and no pattern
is code. A statement of any other shape is left as it is.
Imports ``bytecode/``, ``limits/``, ``syntax/`` and ``control_flow_graph.py``.
"""

from __future__ import annotations

from .cases import find_match_statements

__all__ = ["find_match_statements"]
