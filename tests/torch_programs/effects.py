"""What a program changes or raises besides its result."""

from __future__ import annotations

import os
import sys
import warnings

import torch

from .suite import call, compiled, program

graph_break = torch._dynamo.graph_break
total = 0
switch = True


@program(repeatable=False)
def global_changed():
    "A global number changes with each call."

    def f(x):
        global total
        total += 1
        y = x + total
        graph_break()
        total += 1
        return y

    f = compiled(f)
    return call(f, torch.ones(2)), call(f, torch.ones(2)), total


@program(repeatable=False)
def global_read():
    "A global is a guard: another value compiles again."
    global switch

    def f(x):
        return x + 1 if switch else x - 1

    f = compiled(f)
    switch = True
    found = [call(f, torch.ones(2))]
    switch = False
    return [*found, call(f, torch.ones(2))]


@program()
def lists_and_dicts_changed():
    "Outer containers changed within, replayed behind the graph."
    items, table = [], {}

    def f(x):
        items.append(x + 1)
        table["a"] = x * 2
        items.extend([x, x])
        del items[1]
        return x

    compiled(f)(torch.ones(2))
    return items, table


@program()
def arguments_changed():
    "A list and a dict argument changed within, around a break."

    def f(items, table):
        items.append(items[0] + 1)
        graph_break()
        table["n"] = len(items)
        items[0] = items[1] * 2
        return table["x"] + 1

    items, table = [torch.ones(2)], {"x": torch.zeros(2)}
    return call(compiled(f), items, table), items, table


@program(backend="aot_eager")
def inputs_changed_in_place():
    "Input tensors changed in place, before and behind a break."

    def f(x, y):
        x.add_(1)
        graph_break()
        y[1:] = x[1:] * 2
        return x.view(-1) + y

    x, y = torch.ones(3), torch.zeros(3)
    return call(compiled(f), x, y), x, y


@program(backend="aot_eager")
def inputs_share_memory():
    "Two views of one storage, one changed."

    def f(x, y):
        x.mul_(3)
        return y + 1

    base = torch.arange(4.0)
    return compiled(f)(base[:2], base[1:3]), base


@program()
def random_numbers():
    "torch's generator; results as of the seed."

    def f(x):
        y = torch.rand(3) + x
        graph_break()
        return torch.nn.functional.dropout(y, 0.5) + torch.randn_like(x)

    return call(compiled(f), torch.ones(3))


@program()
def random_numbers_of_python():
    "Python's random module within."
    import random

    random.seed(1)

    def f(x):
        return x * random.random() + random.randint(1, 9)

    return compiled(f)(torch.ones(2)), random.random()


@program(raises="ValueError")
def exception_of_the_user():
    "The function raises behind a break; nothing catches it."

    def f(x):
        y = x + 1
        graph_break()
        raise ValueError("mine {}".format(y.shape[0]))

    return call(compiled(f), torch.ones(2))


@program()
def exception_caught_outside():
    "The same, caught; with its cause, its own type, and the function called again."

    class Mine(Exception):
        pass

    def f(x, wrong):
        y = x + 1
        graph_break()
        if wrong:
            try:
                raise KeyError("inner")
            except KeyError as error:
                raise Mine("outer") from error
        return y

    f = compiled(f)
    found = []
    for wrong in (True, False, True):
        try:
            found.append(call(f, torch.ones(2), wrong))
        except Mine as error:
            found.append((error, type(error.__cause__).__name__, error.__context__ is error.__cause__))
    return found


@program(raises="RuntimeError")
def error_of_an_operator():
    "Shapes that don't fit: the operator's own error."

    def f(x, y):
        graph_break()
        return torch.mm(x, y)

    f = compiled(f)
    f(torch.ones(2, 2), torch.ones(2, 2))
    torch._dynamo.config.suppress_errors = True
    return f(torch.ones(2, 3), torch.ones(2, 3))


@program(exits=3)
def process_exits():
    "sys.exit(3) in a function which compiled code calls."

    def leave(x):
        graph_break()
        sys.exit(3)

    def f(x):
        y = x + 1
        leave(y)
        return y

    return compiled(f)(torch.ones(2))


@program(exits=1, raises="LookupError")
def process_ends_by_an_exception():
    "An exception that nobody catches: a traceback and status 1."

    def f(x):
        y = x + 1
        graph_break()
        raise LookupError(y.numel())

    return compiled(f)(torch.ones(2))


@program(new_process=True)
def process_forks():
    "os.fork while recording: the child compiles another function and ends."
    f = compiled(lambda x: x + 1)
    found = [f(torch.ones(2))]
    child = os.fork()
    if child == 0:
        result = compiled(lambda x: x * 3)(torch.ones(2))
        os._exit(int(result.sum()))
    return [*found, os.waitpid(child, 0)[1], compiled(lambda x: x - 1)(torch.ones(2))]


@program()
def printing():
    "print within: a break for each."

    def f(x):
        print("before", x.shape)
        y = x + 1
        print("after")
        return y

    return call(compiled(f), torch.ones(2))


@program()
def warning():
    "warnings.warn within."

    def f(x):
        warnings.warn("careful", stacklevel=2)
        return x + 1

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = compiled(f)(torch.ones(2))
    return found, [str(one.message) for one in caught if "careful" in str(one.message)]


@program()
def attribute_of_an_object():
    "Attributes set, deleted and made anew."

    class Box:
        pass

    box = Box()
    box.old = 1

    def f(x):
        box.new = x + box.old
        del box.old
        graph_break()
        box.other = [box.new]
        return box.new * 2

    return compiled(f)(torch.ones(2)), sorted(vars(box)), box.other


@program()
def finally_and_global_state():
    "torch's own state changed within: grad mode, default dtype."

    def f(x):
        before = torch.is_grad_enabled()
        torch.set_grad_enabled(False)
        y = x * 2
        graph_break()
        torch.set_grad_enabled(before)
        return y, (x + 1).requires_grad

    return call(compiled(f), torch.ones(2, requires_grad=True)), torch.is_grad_enabled()
