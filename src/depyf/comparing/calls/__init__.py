"""Calls of the program's functions, beside the same calls in eager in a process of their own: what Dynamo does wrong.

Takes a function and its arguments when Dynamo has compiled it; gives findings on what it returns and leaves behind.
Start with ``first_calls.py``.
"""
