print.attribute: int = 1


def function(value, *, other: bool = False) -> int:
    return value
