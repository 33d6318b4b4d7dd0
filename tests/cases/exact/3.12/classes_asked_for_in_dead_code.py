class Before:
    if 0:

        def method(self):
            return super().method()

    def other(self):
        return 1


class After:
    attribute = 1
    while 0:

        @classmethod
        def method(cls):
            return __class__
