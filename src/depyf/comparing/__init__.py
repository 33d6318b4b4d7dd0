"""Whether a compiled program computes what the program says: the first line that computes something else.

Takes a program under torch.compile; gives, for each graph that Inductor compiles, a verdict and the lines that are
wrong. An error is charged where it arises: every buffer is compared with its operation, recomputed from the compiled
run's own earlier buffers, in fp64 and in eager's precision. Start with ``session.py``.

The package has not the name of `depyf.compare`: a module would hide the function.
"""
