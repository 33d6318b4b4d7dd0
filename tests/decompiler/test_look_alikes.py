"""Warnings about names that look like others, and about text that changes direction: on attacks, not on languages."""

from __future__ import annotations

import types
import unicodedata

import pytest

import depyf
from depyf.decompiler import look_alikes
from depyf.decompiler.look_alikes import warnings_in, with_warnings

ATTACKS = {
    "a letter of Cyrillic": "p\u0430ypal = 1\n",
    "a whole word that is a module": "import \u0455\u0443\u0455\n",
    "a whole word that the file has": "\u0441\u043e\u0440\u0443 = 1\ncopy = 2\n",
    "one letter that the file has": "\u0441 = 1\nc = 2\n",
    "a keyword": "\u0456f = 1\n",
    "a builtin": "x = \u0435v\u0430l(y)\n",
    "a capital of Greek": "\u0391dmin = 1\n",
    "a letter of formulas in a known word": "v\u03b1lue = 1\nvalue = 2\n",
    "phonetics": "\u0261et = 1\n",
    "Cherokee": "us\u13ac_r = 1\n",
    "Armenian": "c\u0585unt = 1\n",
    "an exclamation mark": "environment\u01c3 = 1\n",
    "a variation selector": "user\ufe0f = 1\n",
    "a Hangul filler": "x, \u1160 = y\n",
    "an attribute": "x.\u0430dmin()\n",
    "a keyword argument": "f(\u0430dmin=1)\n",
    "a field of a formatted string": "f'{\u0430dmin:>3}'\n",
    "beside a name that the tokenizer can't read": "\u0939\u093f\u0928 = \u0430dmin\n",
    "a control in a string": "f'{x[\"\u202e\"]}'\n",
    "an escape in a string": "x = 'a \\u2066 b'\n",
    "an escape after a backslash": "x = 'a\\\\\\u202e b'\n",
    "an escape in a formatted string": "x = f'{y}\\u202e'\n",
}

ORDINARY = {
    "English": "x = 'a → b'\n",
    "Russian": "имя = счёт + рост\nсор = ехал\nа = у\n",
    "Greek": "όνομα = τιμή\n",
    "formulas": "Δx = σ_x * ρ\nν_x = v_x + a\nα = a\np = 1\nµ = u\ndρ_dx = dp_dx\ncosα = cos(a)\nΣ = Δt\nθ1 = π\n",
    "Turkish": "sayı = kırmızı\n",
    "German, French, Spanish, Icelandic, Vietnamese": "straße = naïve + año + þór + ngưỡng\n",
    "Chinese, Japanese, Korean": "名前 = ユーザー_id + 이름\n",
    "Hindi": "हिन्दी = 1\n",
    "Hebrew, Arabic": "שם = اسم\n",
    "mixed with a letter like no other": "get_имя = файл_x\n",
    "a string": "x = 'p\u0430ypal'\nimport sys\ny = '\u0455\u0443\u0455'\n",
    "a docstring": "def f():\n    \"\"\"\u0430 p\u0430ypal \u0441\n\n    c\n    \"\"\"\n    a = c\n",
    "a pattern": "x = r'[\\u202a-\\u202e]'\n",
    "an escaped backslash": "x = '\\\\u202e'\n",
    "marks of direction, as escapes": "x = '\\u200f'\n",
}


@pytest.mark.parametrize("kind", ATTACKS)
def test_an_attack_is_reported_with_its_line(kind):
    found = warnings_in("pass\n" + ATTACKS[kind])
    assert len(found) == 1
    assert found[0].startswith("line 2: ")
    assert found[0].isprintable() and look_alikes.INVISIBLE.isdisjoint(found[0])


@pytest.mark.parametrize("kind", ORDINARY)
def test_ordinary_code_is_not(kind):
    assert warnings_in(ORDINARY[kind]) == []


@pytest.mark.parametrize("char, letter", look_alikes._ALIKE.items())
def test_each_letter_is_one_of_a_name_and_is_reported(char, letter):
    assert f"a{char}".isidentifier() and unicodedata.normalize("NFKC", char) == char
    (found,) = warnings_in(f"x{char}y = 1\n")
    assert f"looks like 'x{letter}y' but has U+{ord(char):04X} " in found or letter == "'"


def test_the_warning_says_what_it_is():
    assert with_warnings("p\u0430ypal = 1\nx = p\u0430ypal") == (
        "p\u0430ypal = 1\nx = p\u0430ypal\n# warning: lines 1, 2: the name 'p\u0430ypal' looks like 'paypal' but has "
        "U+0430 CYRILLIC SMALL LETTER A\n"
    )


def test_many_names_are_counted():
    found = warnings_in("".join(f"\u0430dmin{number} = 1\n" for number in range(100)))
    assert len(found) == 21 and found[-1] == "and 80 more such names"


def test_a_name_is_found_on_five_lines_and_shortened():
    name = "\u0430" + "dmin" * 50
    (found,) = warnings_in(f"{name} = 1\n" * 9)
    assert found.startswith("lines 1, 2, 3, 4, 5, ...: the name '\u0430dmin") and len(found) < 220


def test_the_text_for_people_has_it_and_the_result_has_not():
    module = compile("def f(p\u0430ypal):\n    return p\u0430ypal\n", "m.py", "exec")
    code = next(one for one in module.co_consts if isinstance(one, types.CodeType))
    assert depyf.decompile(code).startswith(depyf.analyze(code).source + "# warning: lines 1, 2: the name ")
    assert depyf.analyze(code).verdict.exact


@pytest.mark.parametrize("mark", ["\u202e", "\u2066", "\u200b", "\x9b", "\x1b", "\x7f", "\u2028"])
@pytest.mark.parametrize("layout", ["compact", "author"])
def test_controls_in_literals_are_escapes_and_the_text_is_proven(mark, layout):
    text = f'''"""doc {mark} string
    of lines
    """
def f(x):
    """inner {mark}"""
    return 'a{mark}b', f'a{mark}{{x:{mark}>3}}{{x!r}}', b'x', """{mark}
two
lines, long enough to be printed between triple quotes {mark}
"""
'''
    result = depyf.analyze(compile(text, "m.py", "exec"), layout=layout)
    assert result.proven and mark not in result.source
