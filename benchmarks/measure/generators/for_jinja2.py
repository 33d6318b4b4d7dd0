"""Jinja2: templates with every tag, filter, test and way to compile them."""

from __future__ import annotations

import itertools

import jinja2
from jinja2.nativetypes import NativeEnvironment
from jinja2.sandbox import SandboxedEnvironment as Sandbox

TEMPLATES = {
    "base": """<title>{% block title required %}{% endblock %}</title>{% block body scoped %}b{% endblock body %}
{% block empty %}{% endblock %}{{ self.empty() }}""",
    "child": """{% extends "base" %}{% import "macros" as m %}{% from "macros" import field, area as a with context %}
{% block title %}{{ super() }}T{% endblock %}{% block body %}{{ m.field("n") }}{{ a() }}{{ super() }}{% endblock %}""",
    "dynamic": """{% if layout %}{% extends layout %}{% else %}{% extends "base" %}{% endif %}{% block title %}x{% endblock %}""",
    "macros": """{% macro field(name, value="", type="text") %}<input {{ name }} {{ value|e }}>{{ varargs }}{{ kwargs }}
{{ caller() if caller else "" }}{% endmacro %}{% macro area() %}{% call(x) other(1) %}{{ x }}{% endcall %}{% endmacro %}
{% macro other(a) %}{{ caller(a) }}{% endmacro %}{% set exported = 1 %}{% macro _private(a=1, b=a) %}{{ a }}{{ b }}{% endmacro %}""",
    "loops": """{% for a, (b, c) in items recursive %}{{ loop.index }}{{ loop(c) if c }}{{ loop.cycle("x", "y") }}{% else %}e
{% endfor %}{% for x in y if x is odd %}{{ x }}{% endfor %}{% for i in range(3) %}{% for j in range(i) %}{{ loop.first }}
{{ loop.previtem }}{{ loop.changed(j) }}{% endfor %}{% if loop.last %}{% continue %}{% endif %}{% if i > 2 %}{% break %}{% endif %}
{% else %}{% endfor %}{% for k, v in d|dictsort %}{{ k }}={{ v }}{% endfor %}{% for n in seq %}{{ n }}{% endfor %}""",
    "conditions": """{% if a %}1{% elif b and not c or d %}2{% elif a in b %}3{% elif a not in b %}4{% else %}5{% endif %}
{{ "x" if a is defined else "y" }}{{ "only" if a }}{% if a is divisibleby 3 %}{% endif %}{% if a is none or a is not string %}x{% endif %}
{% if 1 < a <= 3 == b != c > d >= 1 %}chain{% endif %}{% if true %}constant{% endif %}""",
    "expressions": """{{ 1 + 2 * 3 // 4 % 5 - 6 ** 2 / 7 }}{{ a ~ b ~ "c" }}{{ -a }}{{ +a }}{{ a.b.c["d"][0] }}{{ a[1:2] }}{{ a[::2] }}
{{ f(1, *args, x=2, **kw) }}{{ [1, "a", a] }}{{ (1, a) }}{{ {"k": v, 1: 2} }}{{ a|default("x", true)|upper|replace("a", b) }}
{{ a|map(attribute="b")|join(", ") }}{{ a is eq 3 }}{{ not a }}{{ "a" "b" }}{{ 1.5e3 }}{{ 1_000 }}{{ 0x1f }}{{ none }}{{ (a, b) == c }}
{{ a|select("odd")|list }}{{ a|groupby("x")|first }}{{ cycler("a", "b").next() }}{{ namespace(x=1).x }}{{ joiner(",")() }}{{ lipsum(1) }}""",
    "sets": """{% set a = 1 %}{% set b, c = 2, (3, 4) %}{% set ns = namespace(x=0) %}{% set ns.x = 5 %}{% set block %}t{{ a }}{% endset %}
{% set up | upper | trim %}x{% endset %}{% with x = 1, y = x %}{{ x }}{% set a = 3 %}{{ a }}{% endwith %}{% with %}{% endwith %}
{% if q %}{% set a = 9 %}{% elif r %}{% set z = 1 %}{% endif %}{{ a }}{{ z }}{% for i in s %}{% set a = i %}{{ a }}{% endfor %}{{ a }}""",
    "includes": """{% include "macros" %}{% include ["none", "macros"] ignore missing %}{% include name without context %}
{% include "macros" with context %}{% include "none" ignore missing without context %}{% import name as n without context %}
{% from "macros" import exported %}{{ exported }}{% for x in y %}{% include "macros" %}{% endfor %}""",
    "filters": """{% filter upper %}a{{ b }}{% filter replace("a", "b")|trim %}c{% endfilter %}{% endfilter %}{% autoescape true %}{{ a }}
{% endautoescape %}{% autoescape a %}{{ a|safe }}{{ a|escape }}{% macro m() %}{{ x }}{% endmacro %}{{ m() }}{% endautoescape %}""",
    "extensions": """{% do items.append(1) %}{% trans %}Hello{% endtrans %}{% trans count=items|length, name=n %}{{ count }} one {{ name }}
{% pluralize count %}{{ count }} many{% endtrans %}{% trans trimmed user=u.name %} a {{ user }} 100% {% endtrans %}{% debug %}
{{ _("gettext") }}{{ gettext("a %(b)s", b=1) }}""",
    "plain": "no tags at all\n",
    "nothing": "",
    "raw": "{% raw %}{{ not }}{% endraw %}{# comment #}\n{%- if a -%} x {%- endif -%}\n{%+ if b %}{% endif +%}",
    "names": """{{ if_ }}{{ class }}{{ none_ }}{{ self }}{{ context }}{{ environment }}{{ loop }}{{ l_0_a }}{{ print }}{{ True }}{{ _ }}""",
    "nested": """{% macro outer(a) %}{% macro inner(b) %}{{ a }}{{ b }}{% for x in b %}{{ loop.index }}{{ caller() }}{% endfor %}{% endmacro %}
{% call inner([1]) %}{{ a }}{% call inner(2) %}{{ a }}{% endcall %}{% endcall %}{% endmacro %}{{ outer(1) }}
{% block b %}{% block c scoped %}{% for x in y %}{% block d scoped %}{{ x }}{% endblock %}{% endfor %}{% endblock %}{% endblock %}""",
}


def generate(folder):
    names = ["autoescape", "enable_async", "optimized", "trim_blocks"]
    extensions = ["do", "loopcontrols", "i18n", "debug"]
    for values in itertools.product((False, True), repeat=len(names)):
        for kind in (jinja2.Environment, NativeEnvironment, Sandbox)[: 1 + 2 * all(values)]:
            for undefined in (jinja2.Undefined, jinja2.StrictUndefined)[: 1 + all(values)]:
                environment = kind(
                    loader=jinja2.DictLoader(TEMPLATES),
                    undefined=undefined,
                    extensions=[f"jinja2.ext.{name}" for name in extensions],
                    finalize=(lambda value: value) if values[2] else None,
                    **dict(zip(names, values)),
                )
                environment.globals["gettext"] = str
                environment.install_null_translations(newstyle=values[0])
                for name in TEMPLATES:
                    environment.get_template(name)
                environment.compile_expression("a + b|length if c is defined else d.e[1]")
                environment.compile_expression("not a", undefined_to_none=False)
