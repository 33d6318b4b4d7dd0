"""What CPython compiles comes back, however deep it is nested, and however deep the stack is already."""

import subprocess
import sys
import threading

import pytest

import depyf
import nesting
from depyf.decompiler.limits.deep_stack import is_deep, with_room


@pytest.mark.parametrize("shape", nesting.SHAPES)
def test_what_is_nested_as_deep_as_the_compiler_takes_it_comes_back(shape):
    limit = sys.getrecursionlimit()
    code = nesting.nested(nesting.SHAPES[shape], nesting.deepest(nesting.SHAPES[shape], 900))
    assert nesting.proven(code) == "proven"
    assert sys.getrecursionlimit() == limit


def test_a_caller_whose_stack_is_nearly_full_gets_its_source():
    def depth():
        frame, found = sys._getframe(), 0
        while frame is not None:
            frame, found = frame.f_back, found + 1
        return found

    def deeper(levels):
        return deeper(levels - 1) if levels else depyf.decompile(depth)

    wanted, limit = depyf.decompile(depth), sys.getrecursionlimit()
    for room in (300, 100, 50, 40, 30):
        assert deeper(limit - room - depth()) == wanted
        assert sys.getrecursionlimit() == limit


def test_many_threads_may_need_room_at_once():
    code = nesting.nested(nesting.SHAPES["attributes"], 900)
    limit, found = sys.getrecursionlimit(), []
    threads = [threading.Thread(target=lambda: found.append(nesting.proven(code))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["proven"] * 8
    assert sys.getrecursionlimit() == limit


def test_a_limit_that_is_set_meanwhile_stays():
    limit = sys.getrecursionlimit()

    def program():
        if not is_deep():
            raise RecursionError
        sys.setrecursionlimit(limit + 1)

    try:
        with_room(program)
        assert sys.getrecursionlimit() == limit + 1
    finally:
        sys.setrecursionlimit(limit)


def test_what_goes_wrong_on_the_deep_stack_reaches_the_caller():
    def fails(error):
        raise error if is_deep() else RecursionError

    with pytest.raises(KeyError, match="reason"):
        with_room(lambda: fails(KeyError("reason")))
    with pytest.raises(RecursionError, match="again"):
        with_room(lambda: fails(RecursionError("again")))


def test_what_is_too_deep_for_that_too_is_refused_without_losing_its_neighbours():
    """In a process of its own: CPython 3.8 and 3.9 abort a program that catches the error in the wrong place."""
    program = """
from depyf.decompiler.limits import deep_stack
from depyf.decompiler.pipeline import analyze
deep_stack._FRAMES = 1_100
lines = ["def deep(x):", "    return x" + ".a" * 900, "def fine(x):", "    return x.a"]
deep, fine = analyze(compile("\\n".join(lines), "m", "exec")).nested
print(deep.verdict.level.value, "deep" in " ".join(deep.verdict.reasons), fine.verdict.level.value)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=120)
    said = done.stdout.decode().split()
    assert (done.returncode, said) == (0, ["refused", "True", "identical"]), done.stderr.decode()
