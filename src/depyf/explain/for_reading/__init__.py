"""Text that is only read: Dynamo's bookkeeping and temporaries taken out of decompiled source.

Takes one function's source; gives shorter source, and how much each recogniser took out. What runs is never edited.
"""
