"""Genshi: templates of both kinds with every directive and expression."""

from __future__ import annotations

from genshi.template import MarkupTemplate, NewTextTemplate, TemplateLoader
from genshi.template.eval import Expression, Suite

PAGE = """<html xmlns:py="http://genshi.edgewall.org/" py:attrs="options" py:strip="not items"><?python
import os
def helper(a, b=2, *c, **d):
    total = [one for one in a if one]
    return lambda e: (total, b, c, d, e, name)
class Kept:
    value = helper([1])(2)
try:
    with_default = items[0]
except IndexError:
    with_default = None
?><py:def function="row(item, mark='x', *rest, **others)"><b py:content="item">${item}</b>${mark}</py:def>
<py:match path="head" once="true"><head py:attrs="select('@*')">${select('*|text()')}</head></py:match>
<p py:for="n, (a, b) in enumerate(items)" py:if="a or not b" py:with="x = a * 2; y = x">$a ${b.upper()} ${row(x, mark=y)}</p>
<div py:choose="len(items)"><i py:when="0">none</i><i py:when="1">one</i><i py:otherwise="">many</i></div>
${[a for a, b in items if b != 'q']}${dict((a, b) for a, b in items)}${(lambda z: z + 1)(1)}${name if name else 'none'}
${'%s %r' % (name, items)}${items[0][1:]}${not 1 &lt; 2 &lt;= 3 or None}${sum(a for a, _ in items)}${defined('q')}
<u py:replace="Kept.value">gone</u><br title="$name ${len(items)}"/></html>"""
TEXT = """{% def greet(who, *rest) %}Hello ${who}{% end %}{% for a, b in items %}{% if a %}${greet(b)}{% end %}{% end %}
{% choose name %}{% when 'n' %}N{% end %}{% otherwise %}O{% end %}{% end %}{% with y = 1; z = y %}$y$z{% end %}
{% python
import sys
for place in range(3):
    if place: continue
    name += str(place)
%}$name"""
EXPRESSIONS = [
    "a.b.c[d](e, *f, g=h, **i)", "lambda a, *b, c=1, **d: (a, b, c, d, e)", "[a for b in c for a in b if a if b]",
    "a if b else c or d and not e", "-a ** ~b // c @ d", "a[b:c, ::d, ...]", "(yield_ for a in b)",
     "a < b in c is not None",  "'\\n' + b'x'.decode()",
]  # fmt: skip
SUITE = """
x = y = name
def f(a, *, b=x):

    z = a
    def g():
        a_ = a + 1
        return x, b
    return g
class C(list, metaclass=type):
    q = 1
    def m(self): return self.q, name
for i in range(3):
    while i: break
    else: del y; continue
assert f(1)() and [i for i in C()] == [], name
"""


def generate(folder):
    codes = []
    for lookup in ("strict", "lenient"):
        values = {"items": [(1, "q"), (2, "r")], "name": "n", "options": {"id": "i"}, "y": 1}
        loader = TemplateLoader(folder, variable_lookup=lookup)
        for kind, text in ((MarkupTemplate, PAGE), (NewTextTemplate, TEXT)):
            template = kind(text, filename=f"{kind.__name__}.html", lookup=lookup, loader=loader)
            try:
                template.generate(**values).render()
            except Exception as error:
                print(type(error).__name__, error)
            codes += list(found(template.stream))
        for text in EXPRESSIONS:
            try:
                codes.append(Expression(text, lookup=lookup).code)
            except Exception as error:
                print(text, type(error).__name__, error)
        codes.append(Suite(SUITE, lookup=lookup).code)
    return codes


def found(thing, seen=()):
    """Every code object that the parts of a template hold."""
    if any(thing is one for one in seen):
        return
    if isinstance(getattr(thing, "code", None), type(found.__code__)):
        yield thing.code
    elif isinstance(thing, (list, tuple)):
        for one in thing:
            yield from found(one, (*seen, thing))
    else:
        slots = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
        if type(thing).__module__.startswith("genshi"):
            for name in {*slots, *getattr(thing, "__dict__", ())}:
                yield from found(getattr(thing, name, None), (*seen, thing))
