"""Pyccolo: code that emits an event around every statement, name, call and operation."""

from __future__ import annotations

from pathlib import Path

PROGRAM = Path(__file__).parent / "programs" / "ordinary.py"


def generate(folder):
    import pyccolo as pyc

    for events in (list(pyc.TraceEvent), [pyc.before_call, pyc.after_call, pyc.load_name], [pyc.before_stmt, pyc.after_stmt, pyc.after_for_loop_iter]):

        class Tracer(pyc.BaseTracer):
            pass

        for event in events:
            try:
                setattr(Tracer, f"on_{event.value}", pyc.register_handler(event)(lambda self, ret, *rest, **options: ret))
            except Exception as error:
                print(event, type(error).__name__, error)
        made = type("Made", (pyc.BaseTracer,), dict(vars(Tracer)))
        try:
            with made.instance():
                pyc.exec(PROGRAM.read_text().replace("__name__ ==", "__name__ !="), {"__name__": "x"}, filename="<traced>")
        except Exception as error:
            print(type(error).__name__, error)
