"""Text for code that has no source, for tracebacks, debuggers and coverage. `depyf.source` is the way in.

    modules.py     what code a module without source has, and which file names it claims
    made_code.py   its text, in linecache
    debuggers.py   debuggers that look for a file where there is only its compiled form
"""
