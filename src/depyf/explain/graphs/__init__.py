"""Graphs that Dynamo captured: as models, as functions to read, and as the files of each compiler stage.

Takes a `GraphModule`; gives `model.Graph` and valid Python. Changes nothing in the graph.
"""
