"""Cheetah: templates with every directive."""

from __future__ import annotations

from Cheetah.Template import Template

TEMPLATES = [
    """#import os
#from sys import path as p
#attr $kept = 3
#set global $g = 1
#def helper($a, $b=2, *c, **d)
$a ${b} #slurp
#end def
#block part
$name.upper ${name.upper()} $!items.missing $items[0].real $kept
#end block
#for $n, $item in enumerate($items)
#if $n == 0 and not $item
#continue
#elif $item
$helper($item, b=$n)
#else
#break
#end if
#end for
#set $x = [one for one in $items]
#while len($x)
#silent $x.pop()
#end while
#try
#raise ValueError($name)
#except ValueError as error
$error
#finally
done
#end try
#if $x then 1 else 2
#unless $x
u
#end unless
#repeat 3
r
#end repeat
#call $helper
body $name
#end call
#filter None
$name
#end filter
#raw
$raw
#end raw
#assert $name
#del $x
#compiler-settings
useNameMapper = False
#end compiler-settings
$(lambda_ if 0 else 1) #echo ' '.join(str(i) for i in $items)# #stop""",
    "#extends object\n#implements respond\n$self.a", "#cache timer='30m'\n$name\n#end cache\n#encoding utf-8\n$*name $*2*name",
    "#from Cheetah.Template import Template as T\n#def gen\n#yield 1\n#end def\n#for $i in $gen()\n$i\n#end for\n#pass\n#return 1", "plain", "",
    "#@staticmethod\n#def s($a)\n#return $a\n#end def\n#closure f($x)\n$x\n#end closure\n$f(1)#set $l = lambda a: a\n$l(2)",
]  # fmt: skip


def generate(folder):
    for options in ({}, {"useCache": False}, {"compilerSettings": {"useNameMapper": False}}, {"compilerSettings": {"useStackFrames": False}}):
        for text in TEMPLATES:
            try:
                str(Template.compile(text, **options)(searchList=[{"items": [0, 1, 2], "name": "n"}]))
            except BaseException as error:
                print(type(error).__name__, str(error).splitlines()[:1])
