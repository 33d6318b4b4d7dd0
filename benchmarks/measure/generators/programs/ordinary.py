"""What people write: the tools that trace or change every expression, call or assignment get this."""

import asyncio
import contextlib
import dataclasses
import functools


def total(items, start=0, *rest, scale=1, **options):
    result = start
    for number, item in enumerate(items):
        if item is None or number in rest:
            continue
        elif isinstance(item, (list, tuple)):
            result += total(item, *rest, scale=scale, **options)
        else:
            result += item * scale if scale != 1 else item
        if result > 1_000:
            break
    else:
        options.setdefault("done", True)
    return result


def texts(values):
    first, *others = values
    by_length = {len(one): one for one in others if one}
    unique = {one.lower() for one in values}
    nested = [[b for b in range(a) if b % 2] for a in range(3)]
    return f"{first!r:>10} {by_length} {sorted(unique)}", nested, sum(one * 2 for one in (1, 2)), "%s" % first


def guarded(path, action):
    try:
        with contextlib.suppress(OSError), open(path) as file:
            return action(file.read())
    except (ValueError, KeyError) as error:
        raise RuntimeError("bad") from error
    finally:
        path = None


def generator(n):
    while n:
        got = yield n
        if got:
            n = got
        n -= 1
    yield from range(3)
    assert n == 0, f"left {n}"


def closure(a):
    count = 0

    def inner(b, c=a):
        nonlocal count
        count += 1
        return lambda d: (a, b, c, d, count)

    return inner


async def later(things):
    async with contextlib.AsyncExitStack() as stack:
        async for thing in things:
            await stack.enter_async_context(thing)
    return [one async for one in things if await one]


@dataclasses.dataclass
class Shape:
    name: str
    sides: int = 4
    tags: list = dataclasses.field(default_factory=list)

    @property
    def regular(self) -> bool:
        return self.sides > 2 and not self.tags

    @classmethod
    def named(cls, name: str, *args, **kwargs) -> "Shape":
        return cls(name, *args, **kwargs)

    @functools.lru_cache(maxsize=None)
    def area(self, *, unit: float = 1.0) -> float:
        area: float = unit * self.sides**2
        self.tags[0:2] = [area, -area]
        del self.tags[0]
        return area if area < 10 <= 99 else 0.0


class Special(Shape):
    count = 0

    def __init__(self, *args):
        super().__init__(*args)
        Special.count += 1


def chosen(value):
    if (found := value.get("a")) and found > 1 or not value:
        return found
    x = y = value["b"]["c"][0].d
    global counter
    counter = x
    return x if y is not None else -1


counter = 0
if __name__ == "__main__":
    print(total([1, [2, None], 3], scale=2), asyncio)
