"""batch/: many compiled files -> a folder of sources, or records; a bad file does not affect others.

    outcome.py      the outcome of one file, and the header and line map of its text
    work.py         one file -> its outcome, in any process
    tasks.py        targets of the command line -> the files to process
    manifest.py     what earlier runs have written
    processes.py    runs tasks in one or several processes
    worker.py       the script of such a process
    command.py      ``depyf decompile`` of many files: progress, summary, JSON

Imports ``files/``, ``targets.py`` and ``decompiler/``, which do not know of it.
"""
