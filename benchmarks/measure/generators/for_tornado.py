"""Tornado: templates with every tag, loaded from each other."""

from __future__ import annotations

from tornado.template import DictLoader

TEMPLATES = {
    "base.html": """{% autoescape None %}{% import os %}{% from sys import path as p %}<title>{% block title %}T{% end %}</title>
{% for n, item in enumerate(items) %}{% if n == 0 %}{% continue %}{% elif n > 5 %}{% break %}{% else %}{{ item }}{% end %}{% end %}
{% set x, y = 1, [2] %}{% while x < 3 %}{% set x += 1 %}{% end %}{% try %}{{ 1 / 0 }}{% except ZeroDivisionError as e %}{{ e }}
{% else %}n{% finally %}f{% end %}{% apply len %}text{% apply str %}{{ x }}{% end %}{% end %}{% block body %}{% end %}""",
    "child.html": """{% extends base.html %}{% block title %}{{ escape(name) }}{# c #}{% comment d %}{% end %}
{% block body %}{% include part.html %}{% module Named(1, a=2) %}{% raw name %}{{! not }}{{ [i for i in items if i] }}{% end %}""",
    "part.html": """{% whitespace oneline %}{% for k in items %} {{ k if k else "none" }} {{ (lambda a: a + name)("b") }} {% end %}""",
    "white.html": """{% whitespace all %}  {{ name }} {% autoescape xhtml_escape %}{{ name }} {% with open(os.devnull) as f %}{{ f }}{% end %}""",
}  # fmt: skip


def generate(folder):
    for options in ({}, {"autoescape": None}, {"whitespace": "single"}):
        loader = DictLoader(TEMPLATES, **options)
        for name in TEMPLATES:
            try:
                loader.load(name).generate(items=["a", "b"], name="n", _tt_modules=type("M", (), {"Named": lambda *a, **b: ""}))
            except Exception as error:
                print(type(error).__name__, error)
