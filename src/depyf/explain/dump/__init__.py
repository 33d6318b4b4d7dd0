"""The folder of a dump: whose it is, what its files are called, how they are written.

Names are the same in every run, a file is written whole or not at all, and no two processes share a folder.
"""
