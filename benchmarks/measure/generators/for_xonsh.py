"""xonsh: scripts with Python and shell mode mixed."""

from __future__ import annotations

SCRIPT = """
import os as o
x = $(echo hi)
y = !(ls -l @(x) | grep a)
$HOME
$PATH.append('/x')
for one in g`*.py`:
    echo @(one) and ls
def f(a, b=1, *c, **d):
    if a in ${'A' + 'B'}:
        cd @(a)
    return $[echo 1] or ![true] or @$(which ls)
class K:
    def m(self): return self and $(echo @(self))
with open('x') as h, K():
    echo @(h.read()) > out.txt
aliases['q'] = lambda args: [z for z in args if z]
r = p'/tmp' / pf'{x}'
cat f | sort -u && echo done || echo failed
ls *.py
try:
    $X = 1
    del $X
except KeyError as e:
    print(e)
x?
async def g():
    await f(1)
while x: x -= 1
s = `a.*`
f!(x + y)
sleep 1 &
"""


def generate(folder):
    from xonsh.execer import Execer
    from xonsh.main import setup

    setup()
    execer = Execer()
    codes = []
    for number, text in enumerate([SCRIPT, *SCRIPT.strip().splitlines()]):
        for mode in ("exec", "single") if number else ("exec",):
            try:
                code = execer.compile(text + "\n", mode=mode, glbs={"o": 1, "x": 1}, filename=f"script-{number}.xsh")
            except SyntaxError as error:
                print(text.splitlines()[0], error)
                continue
            codes += [code] if code is not None else []
    return codes
