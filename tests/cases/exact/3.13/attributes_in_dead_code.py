"""Attributes of `self` that only code stores which never runs, as under `if __debug__:` in optimised code."""


class Connection:
    """It keeps a log in debug runs."""

    def __init__(self, host):
        """Connect."""
        global port
        self.host = host
        if False:
            self.log = []
            self.__size = 10

    def close(self):
        return self.host
