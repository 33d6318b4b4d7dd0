"""files/: a path -> the compiled files in it, by name.

Takes the path of a folder, an archive or one file; gives a `trees.Tree` with the names of the compiled files and their
content. Nothing is executed, unpacked or written. No file is trusted: every read has a bound, and what can't be read
is a `trees.Problem` of that file, or a `trees.VerificationError` where it is the whole archive.

    trees.py       folders and single files
    archives.py    names and places that unpackers or file systems take differently
    zips.py        zip files: eggs, zipapps, and wheels with where they are installed (zip_lists.py, wheels.py)
    tars.py        tar files
    pyinstaller.py programs that PyInstaller has made
    opening.py     a path -> the kind of tree there
    members.py     ``ARCHIVE:MEMBER`` -> a file of it
    content.py     bytes -> the kind of file, and the code in it
    names.py       the name of a compiled file -> that of its source
"""

from .opening import open_tree
from .trees import Entry, Limits, Problem, Tree, Unreadable, VerificationError

__all__ = ["Entry", "Limits", "Problem", "Tree", "Unreadable", "VerificationError", "open_tree"]
