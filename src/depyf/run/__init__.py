"""``depyf run``: an unmodified program, recorded from outside.

The program runs as ``python`` runs it: its exit status, its output, ``sys.argv``, ``__main__``, signals. A recording
begins when the program imports ``torch._dynamo``, and never if it does not. Imports no torch by itself.
"""
