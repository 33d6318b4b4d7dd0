"""The structured log that torch writes into the folder ``TORCH_TRACE`` -> the model, without torch and without a rerun.

The log holds less than a recording: `MISSING` of `session.py` says what. Nothing that is not in it is made up.
"""
