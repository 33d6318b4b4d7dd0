class Body:
    if False:
        lambda: __class__
    attribute = 1
