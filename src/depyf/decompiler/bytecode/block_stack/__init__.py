"""bytecode/block_stack/: the block stacks of CPython 3.7 to 3.10 -> handlers in 3.11's shape.

Takes decoded instructions with SETUP_* and POP_BLOCK. Holds on exit: no block operation is left, each instruction
has its handler, an exception is one stack entry, the ``finally`` subroutines of 3.7 and 3.8 are copies, and
unreachable code is gone.
Imports ``edit.py`` and ``instruction.py``.
"""
