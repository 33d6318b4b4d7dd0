"""Constants that only a conditional expression gave, tested or used together with others."""

EXTENSION = ".py" + ((__debug__ and "c") or "o")
TEXT = ("a" if __debug__ else "b") + "c"
PAIR = (("a" if __debug__ else "b"), "d")
ANSWER = not (1 if __debug__ else 2)
LETTER = ("abc" if __debug__ else "cde")[0]
shout = lambda a: ("a" if __debug__ else "b") + "c" + a  # noqa: E731


class Configured:
    power = -(1 if __debug__ else 2) ** 2

    def name(self, a):
        return ("x" if __debug__ else None) and a


def extension(a):
    return ".py" + (a or ("c" if __debug__ else None) or "o") + a


class Reader:
    def chunks(self, files=None, tag=("pos" or "sem" or "both"), *, other=("a" and 4)):
        return tag
