"""web.py: templates with every statement."""

from __future__ import annotations

from web.template import Template

TEMPLATES = [
    """$def with (items, name='n', *rest)
$var title: Page $name
$code:
    total = 0
    def helper(a, b=1): return [c for c in a if c]
$for a, b in items:
    $loop.index $a $:b
    $if a and not b:
        yes
    $elif b: $b
    $else:
        no
$else:
    none
$while total < 3: $total $(total)
$def inner(x, y=2):
    <b>$x $y ${x + y if x else y}</b>
$:inner(1) $helper([1])[0].real $name.upper()[1:] ${'%s' % name} $$ $# comment
$ x = {'a': [1, 2], 'b': lambda q: q}
$x['a'][0] $try""",
    "$def with ()\n$for i in range(3): $i\n$if 1: a $else: b\n", "plain $x\n",
]  # fmt: skip


def generate(folder):
    for text in [*TEMPLATES, TEMPLATES[0].replace(" $try", "").replace("$while total < 3: $total $(total)\n", "")]:
        try:
            Template(text)([(1, 2)])
        except Exception as error:
            print(type(error).__name__, error)
