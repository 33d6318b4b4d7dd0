"""Bottle: its simple templates with every statement."""

from __future__ import annotations

from bottle import SimpleTemplate

TEMPLATES = [
    """% import os
% def helper(a, b=2):
    {{a}} {{!b}} \\\\
% end
% for n, (a, b) in enumerate(items):
  % if a and not b:
    {{a}}
    % continue
  % elif b: # comment
    % helper(a)
  % else:
    % break
  % end
% else:
  none
% end
<% total = [one for one, _ in items]
while total:
    total.pop()
end
try:
    x = 1 / 0
except ZeroDivisionError as error:
    x = error
finally:
    y = x
end
with open(os.devnull) as file:
    z = file.read()
end
%>{{x}} {{!y}} {{'%s' % z}} {{(lambda q: q)(1)}} {{name if defined('name') else get('name', 'd')}}
% setdefault('w', 3)
\\\\% escaped \\\\
{{dict(items)}}""",
    "% rebase(base)\nbody {{name}}", "{{!base}} % not\nx", "", "plain\n", "% include(base, a=1)\n<% if name: %>\\\\\ny\n<% end %>",
]  # fmt: skip


def generate(folder):
    for options in ({}, {"noescape": True}, {"syntax": "<% %> % {{ }}"}):
        for text in TEMPLATES:
            try:
                SimpleTemplate(text, **options).render(items=[(1, 2), (0, 0)], name="n", base=SimpleTemplate("{{!base}}"))
            except Exception as error:
                print(type(error).__name__, error)
