"""decorator, makefun and boltons: functions with the signature of the one that they wrap."""

from __future__ import annotations

import functools
import inspect


def plain(): ...
def some(a, b, c=1, d=None): return a
def star(a, *args, b, c="x", **options): return args
def hinted(a: int, b: "str" = "s", *, c: list = None) -> dict: return a
def only(a, /, b=2, *c, d=lambda: 1): return a
async def later(a, b=1): return a
def generator(a, *b): yield a
def varied(self, _a=(), __b={}, *, lambda_=3): return self


FUNCTIONS = [plain, some, star, hinted, only, later, generator, varied]


def generate(folder):
    import decorator
    import makefun
    from boltons import funcutils

    @decorator.decorator
    def traced(function, *args, **kwargs):
        return function(*args, **kwargs)

    def with_options(function, limit=1, *args, **kwargs):
        return function(*args, **kwargs)

    for function in FUNCTIONS:
        attempt(lambda: traced(function))
        attempt(lambda: decorator.decorate(function, with_options))
        attempt(lambda: decorator.FunctionMaker.create(str(inspect.signature(hinted)).join(["made", ""]).split(" ->")[0], "return f(a)", {"f": function}))
        attempt(lambda: makefun.wraps(function)(lambda *args, **kwargs: function(*args, **kwargs)))
        attempt(lambda: makefun.create_function(inspect.signature(function), function, func_name="made", inject_as_first_arg=True))
        attempt(lambda: makefun.partial(function, *([1] if function is not plain else [])))
        attempt(lambda: makefun.add_signature_parameters(inspect.signature(function)))
        attempt(lambda: funcutils.wraps(function, injected=["a"] if function is some else None)(lambda *args, **kwargs: function(*args, **kwargs)))
        attempt(lambda: funcutils.FunctionBuilder.from_func(function).get_func())
        attempt(lambda: decorator.contextmanager(function))
    attempt(lambda: decorator.dispatch_on("a")(some).register(int)(some))
    functools.wraps(plain)(some)


def attempt(action):
    try:
        action()
    except Exception as error:
        print(type(error).__name__, error)
