"""batch/: many compiled files -> a folder of sources, or records; one bad file costs itself alone.

    outcome.py      what became of one file, and the header and line map of its text
    work.py         one file -> its outcome, in any process
    tasks.py        targets of the command line -> the files to do
    processes.py    in how many processes
    command.py      ``depyf decompile`` of many files: progress, summary, JSON

Imports ``files/``, ``targets.py`` and ``decompiler/``, which do not know of it.
"""
