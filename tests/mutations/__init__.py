"""Small changes, made by a dice: of source (`source`), of canonical instructions (`instructions`), and of the fields of
a code object (`code_objects`).

Tests and attacks of the proof use them; a mutant that is called proven must do what the original does. Mutants of bytes
that no compiler made, which test the reader too, are in tests/attack/raw.
"""
