"""The model as HTML: a tree to open and to click through, in a notebook or as a file of its own."""
