"""limits/: what hostile or very large code may cost: work, depth of the stack, collections of garbage.

Takes a function to run, or a number of steps that are about to be spent; gives its result, or raises OutOfBudget.
Holds on exit: the same code ends in the same way on every machine, under every load and from any depth of calls.
The lowest room: imports nothing of the package but its errors.
"""
