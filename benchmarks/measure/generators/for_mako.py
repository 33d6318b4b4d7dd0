"""Mako: templates with every tag and control structure."""

from __future__ import annotations

import itertools

from mako.lookup import TemplateLookup

TEMPLATES = {
    "base.html": """<%page args="a=1, *rest, **options" expression_filter="trim"/><html><%block name="title">T</%block>
${self.body()}${next.body(**context.kwargs)}<%block filter="h">anonymous</%block><%block name="after" args="x=1">${x}</%block>
<%def name="unused()"></%def></html>""",
    "child.html": """<%inherit file="base.html"/><%namespace name="lib" file="lib.html"/><%namespace file="lib.html" import="one, two"/>
<%namespace file="lib.html" import="*"/><%block name="title">${parent.title()} child</%block>${lib.one(1)}${one(2)}
<%lib:wrap value="${3}" other="x">body ${x}</%lib:wrap><%call expr="lib.wrap(4)" args="a, b">${a}${b}<%def name="part()">p</%def></%call>
<%include file="lib.html" args="x=1"/>${capture(lib.one, 1)}${local.name}""",
    "lib.html": """<%!
import re
CONSTANT = re.compile("x")
def helper(text):
    return text.upper()
%><%def name="one(a, b=2, *c, d=None, **e)">${a | h,trim}${b | n}${d}${helper("x")}</%def><%def name="two()" buffered="True" filter="trim">
two ${caller.body() if caller else ""}</%def><%def name="wrap(value, other=None)">${caller.body(1, 2)}% if hasattr(caller, "part"):
${caller.part()}
</%def><%def name="decorated()" decorator="helper">d</%def><%def name="cached(x)" cached="True" cache_key="${x}">c</%def>""",
    "control.html": """
% for i, (a, b) in enumerate(items):
    ${loop.index} ${loop.cycle("x", "y")}
    % if a and not b:
        a
    % elif b:
        <% continue %>
    % else:
        <% break %>
    % endif
% endfor
% while x < 3:
    <% x += 1 %>
% endwhile
% try:
    ${1 / x}
% except ZeroDivisionError as error:
    ${error}
% endtry
% with open(__file__) as file:
    ${file.name}
% endwith
## a comment
<%doc>nothing</%doc>
<%text filter="h">${not} % if</%text>
<%
    y = [n * x for n in range(3) if n]
    z = {k: v for k, v in items}
    def inner(q=y):
        w = q
        return lambda: w + y
    class Local:
        value = y
%>
${y} ${z["a"]} ${inner()()} ${"%s" % x} ${f(*y, **z)} ${x if y else z} ${[i for i in y][0] | u} ${lambda: x}
% if x: # comment
% endif
<% return STOP_RENDERING %>
""",
    "defs.html": """<%def name="outer(a)">${a}<%def name="inner(b)">${a}${b}${inner(1)}</%def>${inner(2)}
% for c in a:
${c}<%def name="third()">${a}${c}</%def>${third()}
% endfor
</%def>${outer(1)}<%self:outer a="${x}"/>""",
    "plain.html": "no tags at all\n",
    "nothing.html": "",
    "names.html": """${context["x"]}${pageargs}${UNDEFINED}${local}${self.uri}${x.y.z}${undefined_name}<% x = 1 %>${x}${len}${loop}""",
    "cached.html": """<%page cached="True" cache_timeout="30"/>${x}<%block name="b" cached="True" cache_key="k">${y}</%block>""",
}


def generate(folder):
    names = ["strict_undefined", "enable_loop", "disable_unicode_free"]
    for values in itertools.product((False, True), repeat=2):
        for filters in ([], ["str", "h"], ["decode.utf8"]):
            for buffered in ([], ["trim"]):
                options = dict(zip(names, values))
                lookup = TemplateLookup(
                    default_filters=filters, buffer_filters=buffered, imports=["import os", "from sys import path"], **options
                )  # fmt: skip
                for name, text in TEMPLATES.items():
                    attempt(lambda: lookup.put_string(name, text))
                for name in TEMPLATES:
                    attempt(lambda: lookup.get_template(name).render(x=1, y=2, items=[("a", 1)]))
                    attempt(lambda: [lookup.get_template(name).get_def(one) for one in ("one", "outer")])


def attempt(action):
    try:
        action()
    except Exception as error:
        if type(error).__name__ in ("CompileException", "SyntaxException"):
            raise
