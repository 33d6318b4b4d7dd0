"""Dynamo's new code as source: decompiled, proven, compiled again, and fit to run in the place of Dynamo's.

Takes a code object; gives text with a verdict, and never raises. Knows nothing of graphs or pages.
"""
