"""Guards: read from a cache entry, each in words, with the line that asked for it and an expression that checks it.

Takes a guard manager of any version of torch; gives `model.Guard` and the tree as text. Guards of unknown kinds are
kept as Dynamo writes them.
"""
