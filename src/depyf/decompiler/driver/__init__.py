"""driver/: RawCode -> Result: runs the stages for every code object, combines them, proves the text, and retries.

``units.py`` runs the stages for one code object with one strategy, ``ladder.py`` gives the graph other forms where
structuring fails, ``unstructured.py`` writes those that are not structured, ``decompilation.py`` combines code
objects and proves them: ``tries.py`` has what was tried for each, ``nesting.py`` how they are nested,
``shared.py`` what holds for all. ``refusals/`` shows what remains of refused code, ``texts/`` looks for a better
text. Holds on exit: whatever is not proven is refused, and marked in the text.
Imports ``passes/``, ``limits/``, ``bytecode/``, ``syntax/``, ``printing/``, ``proof/``, ``names/``, ``flowgraph/``,
``lift/``, ``structure/``, ``definitions/``, ``layout/``, ``surface_forms/``, ``stack_machine/`` and
``unstructured/``.
"""
