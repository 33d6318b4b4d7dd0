"""surface_forms/: alternative forms of a proven text, to find the one that compiles to the original.

Takes statements, and two functions that print and compile them. ``changes.py`` proposes small changes, each of a kind
with a name (``kinds.py``), and ``choices.py`` leaves only those of statements that evidence did not decide: columns
decide an `if`, try statement or loop if they are known and agree with the tree. ``search.py`` tries them until the code
is exact or identical, ``dead_code.py`` what left only names or constants. A search costs no more than the rest of the
decompilation. Every decision that evidence did not settle is a recorded choice (``Result.choices``, ``--steps``), and
the search flips those and no others, unless the code itself contradicts what was read from columns
(``columns:undone``). benchmarks/results/spellings.md has the worth of each kind. On exit, a text has changed only if
its proof has improved.
Imports ``limits/``, ``bytecode/``, ``syntax/``, ``proof/`` and ``lift/``.
"""
