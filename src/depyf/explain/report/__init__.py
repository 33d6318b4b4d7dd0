"""Writers: a directory to open, one page per function, the model as a tree and as HTML.

Takes the model (`explain/model.py`) and nothing else. Gives files of which every one that ends in .py is valid Python,
with no uuid, id, address or temporary path in name or text: two runs of one program give equal files.
"""
