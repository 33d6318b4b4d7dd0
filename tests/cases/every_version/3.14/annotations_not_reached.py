import x

a: int = 3
if False:
    b: str
    c: int
d: str


class A:
    y: int
    if False:
        z: str
    if a:
        w: int


def f():
    pass


if a:
    e: float
