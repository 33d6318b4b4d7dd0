"""One page per function: a Python module that models what runs now, with guards, graphs and reasons as it needs them.

Takes frames of the model; gives text. `page.py` puts the sections together.
"""
