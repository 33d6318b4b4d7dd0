class Plain:
    """What it is."""

    limit = 3
    size: int = 4
    name: str

    def __init__(self, x):
        super().__init__()
        self.x = x

    @property
    def value(self):
        return self.__x

    @classmethod
    def make(cls, *args):
        return cls(*args)

    class Inner:
        pass


@decorator(1)
class Derived(Plain, metaclass=Meta, key=1):
    async def run(self):
        return await self.x


def local(base):
    class Local(base):
        attribute = base

        def method(self):
            return base, __class__

    return Local
