"""The graphs that Inductor compiles: operators and passes before the first call, then kernel by kernel while it runs.

Takes Inductor's graphs, its scheduler's facts and the buffers of a call; gives findings. An operation is evaluated in
eager's precision and in fp64. Start with ``first_graph_calls.py``.
"""
