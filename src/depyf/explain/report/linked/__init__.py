"""The model -> four texts of each compilation, line by line, with the lines of the program that each line is for.

Source, transformed code, graphs and kernels. A link is what a name says (a graph's, a kernel's, a node's) or torch's
own provenance; where neither does, there is none. Knows no HTML.
"""
