class Ellipsis_:
    ...


class Passes:
    pass


class Documented:
    """Doc."""

    ...


class Assigns:
    x = 1
