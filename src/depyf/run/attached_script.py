"""What ``depyf attach`` has another process run, with its request filled in: see `attach.py`.

CPython runs it in a namespace of its own, in the main thread, between two instructions of the program. All that it
leaves behind are modules: depyf's, and of the standard library.
"""

import sys

REQUEST: "dict[str, object]" = {}


def attached(request: "dict[str, object]") -> None:
    """Answer a request, in its folder; nothing that is wrong gets out into the program."""
    import json
    import os
    import shutil

    folder, package = str(request["folder"]), str(request["depyf"])
    if not os.path.isdir(folder) or os.path.exists(os.path.join(folder, "given up")):
        shutil.rmtree(folder, ignore_errors=True)
        return
    try:
        loaded = sys.modules.get("depyf")
        if loaded is None:
            from importlib.util import module_from_spec, spec_from_file_location

            spec = spec_from_file_location("depyf", package)
            assert spec is not None and spec.loader is not None
            loaded = sys.modules["depyf"] = module_from_spec(spec)
            spec.loader.exec_module(loaded)
        if loaded.__version__ == request["version"]:
            from depyf.explain.after_the_fact.attached import write_what_is_compiled

            written, why = write_what_is_compiled(
                str(request["directory"]), bool(request["html"]), bool(request["several"])
            )
        else:
            written, why = "", f"it has imported depyf {loaded.__version__}, and this is {request['version']}"
    except Exception as error:
        written, why = "", f"{type(error).__name__}: {error}"
    with open(os.path.join(folder, "unfinished"), "w", encoding="utf-8") as file:
        json.dump({"written": written, "why": why}, file)
    os.replace(os.path.join(folder, "unfinished"), os.path.join(folder, "answer.json"))


# Before any function is called: where the program is inside of a compiled call, Dynamo looks at each frame but those of
# `exec`. By torch's own function, since depyf's `with_dynamo_off` is not there yet.
interrupted = False
try:
    dynamo = getattr(getattr(getattr(sys.modules.get("torch"), "_C", None), "_dynamo", None), "eval_frame", None)
    before = dynamo.set_eval_frame(None) if dynamo is not None else None
    try:
        attached(REQUEST)
    finally:
        if dynamo is not None:
            dynamo.set_eval_frame(before)
except BaseException as error:  # the request is left without an answer
    interrupted = isinstance(error, KeyboardInterrupt)
if interrupted:  # that was for the program, and is here too early
    __import__("_thread").interrupt_main()
