"""The recording itself: hooks into torch, what they tell written down as it comes, everything undone at the end.

`session.py` is where to start, `patches.py` lists what is hooked and changed, `recorder.py` hears from the hooks.
"""
