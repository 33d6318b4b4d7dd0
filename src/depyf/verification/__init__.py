"""verification/: compiled files -> whether they are what their sources say, and which of them CPython would load.

Takes paths of files, folders and archives; gives a report for every ``.pyc`` in them. Nothing of a file is executed,
nothing is written, and no file is trusted: one that can't be read, or whose source can't be compiled, is *not
checked*, never fine.

    loading.py                 whether CPython would load it
    compiling.py               the source, compiled by the CPython of the file's version
    written_out.py             a fast check whether two codes are the same
    comparison.py              two code objects, field by field; differences are left to the proof
    proven.py                  whether code that differs does the same, and hides nothing
    statements.py              the differences, as statements
    check.py                   all of it: ``verify_file``, ``verify_tree``
    report.py, printed.py      the results, and their text, JSON and SARIF
    between.py                 two compiled files, in statements
    command.py                 ``depyf verify``, ``depyf diff`` of compiled files

Imports ``files/`` and ``decompiler/``, which do not know of it.
"""
