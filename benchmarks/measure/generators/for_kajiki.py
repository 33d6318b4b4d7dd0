"""Kajiki: templates of both kinds with every directive."""

from __future__ import annotations

import kajiki

PAGES = [
    """<html py:attrs="options"><?py
total = [one for one in items if one]
def helper(a, b=2): return a, b, total
?><py:def function="row(item, mark='x')"><b py:content="item"/>${mark}</py:def>
<p py:for="n, item in enumerate(items)" py:if="item" title="$item ${n}">${row(item, mark=n)}${helper(1)}</p>
<py:switch test="len(items)"><py:case value="0">none</py:case><py:else>${len(items)}</py:else></py:switch>
<div py:with="a=1; b=a" py:strip="not a">${a + b}</div><py:call args="x" function="row('q')">$x</py:call>
<py:if test="items">yes</py:if><py:else>no</py:else>${dict(a=items)} ${lambda_(1) if defined('lambda_') else ''}</html>""",
    """<html><py:block name="title">T ${items[0]}</py:block><py:for each="a in items">$a</py:for>
<py:switch test="items"><b py:case="[]">e</b></py:switch></html>""",
    "<html>${'%s' % items} ${[i for i in items]}<!-- c --><![CDATA[x]]></html>",
]  # fmt: skip
TEXTS = [
    "%def f(a, b=1)\n$a $b\n%end\n%for i in items\n${f(i)}\n%if i\nyes\n%else\nno\n%end\n%end\n%py x = 3\n$x\n",
    "{%def f(a)%}$a{%end%}{%switch len(items)%}{%case 1%}one{%else%}more{%end%}{%end%}{%for a in items%}{%call(n) f('%s')%}$n{%end%}{%end%}",
    "%block title\nT\n%end\n${[a for a in items]}",
]


def generate(folder):
    for kind, texts in ((kajiki.XMLTemplate, PAGES), (kajiki.TextTemplate, TEXTS)):
        for text in texts:
            try:
                kind(text)({"items": [1, "b"], "options": {"id": 1}}).render()
            except Exception as error:
                print(type(error).__name__, str(error).splitlines()[:1])
