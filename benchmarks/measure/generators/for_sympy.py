"""SymPy: functions that lambdify writes, with every option and printer."""

from __future__ import annotations

import sympy
from sympy.abc import x, y, z
from sympy.utilities.lambdify import implemented_function


def generate(folder):
    f = implemented_function(sympy.Function("f"), lambda v: v + 1)
    e = sympy.Dummy()
    expressions = [
        x + y * z**2 - 1, sympy.sin(x) / sympy.sqrt(y) + sympy.exp(-z), sympy.Piecewise((x, x > 0), (y, sympy.And(x < 0, y >= z)), (z, True)),
        sympy.Matrix([[x, y], [z, x + y]]), [x, [y, (z, x)]], sympy.Sum(x * z, (z, 0, 3)), f(x) + f(y), sympy.Max(x, y, z), sympy.Abs(x) ** y,
        sympy.Or(x > y, sympy.Not(sympy.Eq(x, z))), sympy.Integral(x, (x, 0, y)), sympy.Rational(1, 3) * x + sympy.pi + sympy.I, e + x,
        sympy.Product(x, (x, 1, z)), sympy.floor(x) % y, sympy.factorial(x), sympy.Heaviside(x), (x + 1) ** 50, sympy.expand((x + y + z) ** 12),
    ]  # fmt: skip
    arguments = [[x, y, z, e], [[x, y], z, e], [(x, (y, z)), e]]
    for one in expressions:
        for given in arguments:
            for modules in ("math", "mpmath", "sympy", "numpy", "numexpr", ["cmath", {"sin": abs}]):
                for options in ({}, {"cse": True}, {"dummify": True}, {"use_imps": False}):
                    try:
                        sympy.lambdify(given, one, modules=modules, **options)
                    except Exception as error:
                        print(type(error).__name__, str(error).splitlines()[:1])
    sympy.parse_expr("2x + sin y", transformations="all")
