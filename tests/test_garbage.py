"""Collections of cyclic garbage wait while code is decompiled, and are as they were afterwards."""

import gc
import os
import threading

import pytest

import depyf
from depyf.decompiler import pipeline
from depyf.decompiler.limits import garbage
from depyf.decompiler.limits.garbage import no_collections


def function(rows):
    for row in rows:
        if row:
            print(row)


@pytest.fixture(params=[True, False])
def enabled(request):
    before = gc.isenabled()
    (gc.enable if request.param else gc.disable)()
    yield request.param
    (gc.enable if before else gc.disable)()


def test_nothing_is_collected_meanwhile(monkeypatch):
    seen = []
    run = pipeline.Decompilation.run
    monkeypatch.setattr(pipeline.Decompilation, "run", lambda self: (seen.append(gc.isenabled()), run(self))[1])
    assert "for row in rows" in depyf.decompile(function)
    assert seen == [False]


def test_it_is_as_it_was_afterwards(enabled):
    depyf.decompile(function)
    assert gc.isenabled() is enabled


def test_it_is_as_it_was_after_an_error(enabled):
    with pytest.raises(ZeroDivisionError):
        with no_collections():
            raise ZeroDivisionError
    assert gc.isenabled() is enabled


def test_the_last_of_several_threads_turns_it_on():
    began, go_on = threading.Event(), threading.Event()

    def other():
        with no_collections():
            began.set()
            go_on.wait()

    thread = threading.Thread(target=other)
    with no_collections():
        thread.start()
        began.wait()
    assert not gc.isenabled()
    go_on.set()
    thread.join()
    assert gc.isenabled()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_process_forked_meanwhile_collects():
    with no_collections():
        child = os.fork()
        if not child:
            os._exit(0 if gc.isenabled() and not garbage._PAUSE.running else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert gc.isenabled()
