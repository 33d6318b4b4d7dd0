"""Laying out takes as many calls for each token of a long display as of a short one."""

import cProfile

from depyf.decompiler.pipeline import analyze


def _code(count):
    """A display with a comment in it: what the rows are is unknown."""
    rows = "".join(f"    'n{number:04}',\n" for number in range(count))
    return compile(f"x = (\n    # names\n\n{rows})\n", "file", "exec")


def _calls(code):
    profile = cProfile.Profile()
    profile.runcall(analyze, code, layout="author")
    return sum(entry.callcount for entry in profile.getstats())


def test_rows_of_a_display_that_do_not_fit():
    few, many = 120, 1_200
    analyze(_code(few), layout="author")  # what is kept for the next time is made
    assert _calls(_code(many)) / many < 1.3 * _calls(_code(few)) / few
