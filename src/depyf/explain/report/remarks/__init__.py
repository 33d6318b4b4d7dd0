"""Remarks: what the compiler did at each line of the program's own source, as compilers report optimisations.

Takes the model; gives remarks as data, as JSON, and as text: over the source, and the worst of them as the answer of
``depyf run``. Reading a report back needs no torch.
"""
