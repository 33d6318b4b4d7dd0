"""What Inductor generates: its modules as files, its kernels, and which line of the program became which kernel.

Takes what Inductor compiles or loads from its caches; gives `model.Kernel`. A link to a line is certain or is not made.
"""
