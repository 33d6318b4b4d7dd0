"""Debuggers: breakpoints in the files of a dump are hit, and functions with one in them run as they were written.

Asks the debuggers of this process where the user wants to stop. Without one, all that runs is what Dynamo compiled.
"""
