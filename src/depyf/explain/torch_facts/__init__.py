"""What differs between PyTorch versions: each difference a named fact, probed once, with its evidence.

Takes modules of torch that the program has imported; gives answers about them. Nothing outside this room compares
versions or knows where a version keeps something. Imports nothing else of `explain` but `code_objects`.
"""
