"""What became of each function that Dynamo looked at: compilations, breaks, refusals, skips, recompilations.

Takes what the hooks and torch's own records tell; gives the model's frames and entries, each event with its reason,
the line that caused it and what to do about it.
"""
