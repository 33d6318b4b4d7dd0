"""typeguard: a module and functions that check their arguments, results, yields and assignments."""

from __future__ import annotations

import sys
from pathlib import Path

MODULE = """
from __future__ import annotations
from typing import *
limit: int = 3

def plain(a: int, b: "str" = "x", *c: int, d: Optional[List[int]] = None, **e: float) -> Union[int, str]:
    x: int = a
    y: str
    y = b
    for x, z in enumerate(c):
        x += 1
    (x, *w) = c or (1,)
    if (n := len(c)) > 1:
        return n
    def inner(q: T) -> T:
        nonlocal x
        x = q
        return q
    return inner(x)

def generator(n: int) -> Generator[int, str, bool]:
    while n:
        got = yield n
        n -= 1
    return True

async def agen(n: int) -> AsyncGenerator[int, None]:
    yield n

async def later(a: Awaitable[int], b: Callable[[int], str]) -> Literal["a", 1]:
    with open("x") as f:
        text: str = f.read()
    return await a

T = TypeVar("T", bound=int)

class K(Generic[T]):
    kept: ClassVar[int] = 1

    def __init__(self, a: T, /, b: Type[int] = int) -> None:
        self.a: T = a
        self.b, self.c = b, [one for one in ()]

    @classmethod
    def made(cls, *args: int) -> "K":
        return cls(*args)

    @staticmethod
    def static(a: Dict[str, Tuple[int, ...]]) -> NoReturn:
        raise ValueError

    @property
    def value(self) -> T:
        return self.a

    @value.setter
    def value(self, new: T) -> None:
        self.a = new
"""


def generate(folder):
    from typeguard import install_import_hook, typechecked

    for name in ("checked", "again"):
        Path(folder, f"{name}.py").write_text(MODULE)
    sys.path.insert(0, folder)
    with install_import_hook("checked"):
        __import__("checked")
    import again

    codes = []
    for name in ("plain", "generator", "agen", "later", "K"):
        made = typechecked(getattr(again, name))
        members = vars(made).values() if isinstance(made, type) else [made]
        codes += [one.__code__ for one in members if hasattr(one, "__code__")]
    return codes


def rewritten(filename):
    return filename.endswith("checked.py")
