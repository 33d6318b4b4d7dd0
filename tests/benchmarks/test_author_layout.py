"""The measurement of layout="author" sees what is the same and what is not."""

from __future__ import annotations

import author_layout


def compiled(source: str):
    return compile(source, "x.py", "exec", dont_inherit=True)


def test_an_object_is_the_same_but_for_places_and_nested_code():
    assert author_layout.is_same(compiled("a = 1"), compiled("\n\na  = 1"))
    assert author_layout.is_same(compiled("x = y in {'a', 'b'}"), compiled("x = y in {'b', 'a'}"))
    assert not author_layout.is_same(compiled("a = 1"), compiled("a = 2"))
    assert not author_layout.is_same(compiled("a = 1"), compiled("a = True"))


def test_positions_are_one_for_each_unit_of_code():
    code = compiled("a = (b\n     + c)\nd = e\n")
    places = author_layout.positions(code)
    assert len(places) == len(code.co_code) // 2
    assert {place[0] for place in places} >= {1, 2, 3}


def test_words_are_lines_of_code_without_comments():
    source = 'a = 1  # one\n\n# two\nb = """x\ny"""\nc = (d,\n     e)\n'
    assert author_layout.words_of(source)[1] == "a = 1"
    assert set(author_layout.words_of(source)) == {1, 4, 6, 7}


def test_a_file_is_measured(tmp_path):
    path = tmp_path / "program.py"
    path.write_text("import os\n\n\ndef f(a):\n    return os.path.join(a,\n                        os.sep)\n")
    measured = author_layout.measure(str(path))
    counts = dict(zip(author_layout.COUNTS, measured.counts))
    assert counts["objects"] == counts["code"] == counts["lines"] == 2
    assert counts["words"] == 4 and measured.wrong == ()
    assert author_layout.row([measured]).startswith("| ")
