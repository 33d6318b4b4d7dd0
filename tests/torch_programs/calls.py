"""What is compiled, and how it is called: arguments, closures, methods, decorators, generators, coroutines, threads."""

from __future__ import annotations

import asyncio
import collections
import dataclasses
import functools
import threading
from typing import Any, NamedTuple

import torch

from .suite import call, compiled, program

graph_break = torch._dynamo.graph_break


@program()
def closure():
    "A closed over tensor, and a break."
    k = torch.arange(3.0)

    def f(x):
        y = x + k
        graph_break()
        return y * k

    return call(compiled(f), torch.ones(3))


@program(repeatable=False)
def closure_which_is_assigned():
    "nonlocal, before and after a break."
    n = 0

    def f(x):
        nonlocal n
        n += 1
        y = x + n
        graph_break()
        n += 1
        return y * n

    f = compiled(f)
    return call(f, torch.ones(3)), call(f, torch.ones(3)), n


@program()
def function_made_inside():
    "A function defined before a break and called behind it."

    def f(x):
        y = x + 1

        def g(z):
            return y * z

        graph_break()
        return g(2) + y

    return call(compiled(f), torch.ones(3))


@program()
def function_returned():
    "A function made in compiled code is the result."

    def f(x):
        y = x + 1

        def g(z):
            return y * z

        return g

    return compiled(f)(torch.ones(3))(2)


@program()
def every_kind_of_parameter():
    "Defaults, *args, keyword-only, **kwargs, and a break."

    def f(x, y=2, *rest, z=3, **others):
        r = x * y + z + sum(rest) + others.get("w", 0)
        graph_break()
        return r - y

    f = compiled(f)
    return call(f, torch.ones(2)), call(f, torch.ones(2), 3, 4, 5, z=6, w=7)


@program()
def tensors_as_defaults():
    "A tensor as default, and None."

    def f(x, y=torch.ones(2), z=None):  # noqa: B008
        return x + y if z is None else x + y + z

    f = compiled(f)
    return call(f, torch.ones(2)), call(f, torch.ones(2), z=torch.ones(2))


@program()
def arguments_by_keyword():
    "All by keyword, in another order."
    return call(compiled(lambda a, b, c: (a - b) * c), c=torch.ones(2), b=torch.zeros(2), a=torch.ones(2))


@program()
def partial():
    "functools.partial, of the compiled and compiled."

    def f(x, y, k):
        return x * k + y

    one = functools.partial(compiled(f), torch.ones(2), k=3)
    within = functools.partial(f, k=2)
    other = compiled(lambda x: within(x, x))
    return one(torch.zeros(2)), call(other, torch.ones(2))


def twice(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs) * 2

    return wrapper


@program()
def decorated():
    "A decorator under torch.compile, and one over it."

    @twice
    @compiled
    @twice
    def f(x):
        graph_break()
        return x + 1

    return f(torch.ones(2))


class Counter:
    step = 2

    def __init__(self):
        self.n = 1

    def add(self, x):
        self.n += 1
        y = x + self.n
        graph_break()
        self.n += 1
        return y * self.n

    @classmethod
    def made(cls, x):
        graph_break()
        return x * cls.step

    @staticmethod
    def plain(x, y=1):
        return x - y

    @property
    def size(self):
        return self.n * 2

    def __call__(self, x):
        return x + self.size


@program(repeatable=False)
def method():
    "A bound method which changes its object."
    counter = Counter()
    f = compiled(counter.add)
    return call(f, torch.ones(2)), call(f, torch.ones(2)), counter.n


@program()
def class_and_static_methods():
    "classmethod, staticmethod."
    return call(compiled(Counter.made), torch.ones(2)), call(compiled(Counter.plain), torch.ones(2))


@program()
def object_that_is_called():
    "An object with __call__ and a property, called within."
    counter = Counter()
    return call(compiled(lambda x: counter(x) * 2), torch.ones(2))


class Pair(NamedTuple):
    a: Any
    b: Any


@dataclasses.dataclass
class Outputs:
    loss: Any
    hidden: Any = None
    many: list = dataclasses.field(default_factory=list)


@program()
def named_tuple_result():
    "A NamedTuple made before a break and one after."

    def f(x):
        pair = Pair(x + 1, x * 2)
        graph_break()
        return Pair(pair.b, pair.a + 1)

    return call(compiled(f), torch.ones(2))


@program()
def dataclass_result():
    "A dataclass as argument and result."

    def f(given):
        graph_break()
        return Outputs(given.loss.sum(), many=[given.hidden, given.loss])

    return call(compiled(f), Outputs(torch.ones(2), torch.zeros(2)))


@program()
def containers():
    "Dicts, lists, tuples, sets, nested, in and out."

    def f(table, items, pair):
        (a, b), key = pair, "k"
        table = {**table, key: items[-1] + table["x"]}
        return {"t": table, "i": [*items[1:], a], "s": {1, 2} | {len(items)}, "p": (b, (a,))}

    x = torch.ones(2)
    return call(compiled(f), {"x": x}, [x + 1, x + 2], (x, 3))


@program()
def other_containers():
    "OrderedDict, deque, defaultdict."

    def f(x):
        table = collections.OrderedDict(a=x, b=x + 1)
        queue = collections.deque([x, x * 2], maxlen=2)
        queue.append(table.popitem()[1])
        return list(queue), dict(table)

    return call(compiled(f), torch.ones(2))


@program()
def generator_inside():
    "A generator made and used within."

    def f(x):
        def g():
            for i in range(3):
                yield x + i

        return [t * 2 for t in g()]

    return call(compiled(f), torch.ones(2))


@program()
def generator_compiled():
    "A generator function is compiled: torch leaves it alone or traces it."

    def g(x):
        for i in range(2):
            yield x.sin() + i

    return list(compiled(g)(torch.ones(2)))


@program()
def coroutine():
    "An async function which awaits another; the compiled function is called from it."
    f = compiled(lambda x: x.cos() + 1)

    async def inner(x):
        await asyncio.sleep(0)
        return f(x)

    async def outer(x):
        return [await inner(x), *(await asyncio.gather(inner(x + 1), inner(x + 2)))]

    return asyncio.run(outer(torch.ones(2)))


@program()
def coroutine_compiled():
    "An async function is compiled."

    async def f(x):
        await asyncio.sleep(0)
        return x + 1

    return asyncio.run(compiled(f)(torch.ones(2)))


@program()
def coroutine_without_await():
    "A compiled async function all of which is one graph: Dynamo keeps on the stack the None that starts a coroutine."

    async def f(x):
        return x.sin() * 2

    return asyncio.run(compiled(f)(torch.ones(2)))


@program(index="GET_AWAITABLE|[Bb]ytecode|coroutine|Assertion|KeyError|Nothing was compiled")
def coroutine_that_awaits():
    "A compiled async function which awaits: torch can't, and says so, or, as 2.2 on 3.8, leaves it without a word."

    async def f(x):
        y = x.sin()
        await asyncio.sleep(0)
        return y * 2

    try:
        return asyncio.run(compiled(f)(torch.ones(2)))
    except Exception as error:
        return type(error).__name__


@program()
def threads():
    "Three threads, each with a function of its own; one function for all of them before."
    shared = compiled(lambda x: x * 2)
    results = {0: shared(torch.ones(2))}

    def work(i):
        results[i] = compiled(lambda x: x + i)(torch.ones(2)), shared(torch.ones(2))

    for i in (1, 2, 3):
        thread = threading.Thread(target=work, args=(i,))
        thread.start()
        thread.join()
    return results


@program()
def higher_order():
    "map, filter, sorted with a key, reduce, zip."

    def f(x):
        parts = list(map(lambda i: x + i, range(3)))  # noqa: C417
        kept = [p for i, p in zip(sorted([2, 0, 1], key=lambda n: -n), parts) if i]
        return functools.reduce(lambda a, b: a * b, kept, x)

    return call(compiled(f), torch.ones(2))


@program()
def strings_and_formats():
    "f-strings, enums of kinds, dictionary dispatch."

    def f(x, kind):
        return {"sin": torch.sin, "cos": torch.cos}[kind](x), f"{kind}:{x.shape[0]:>3}"

    f = compiled(f)
    return call(f, torch.ones(2), "sin"), call(f, torch.ones(2), "cos")


@program()
def compiled_calls_compiled():
    "A compiled function calls another one."
    inner = compiled(lambda x: x + 1)

    def f(x):
        y = inner(x)
        graph_break()
        return inner(y) * 2

    return call(compiled(f), torch.ones(2))


@program()
def recursion():
    "A function which calls itself."

    def f(x, n):
        return x if n == 0 else f(x + 1, n - 1) * 2

    return call(compiled(f), torch.ones(2), 3)


@program()
def code_without_a_file():
    "A function made by exec: there is no source to show."
    names = {}
    exec("def f(x):\n    y = x + 1\n    import torch\n    torch._dynamo.graph_break()\n    return y * 2\n", names)
    return call(compiled(names["f"]), torch.ones(2))
