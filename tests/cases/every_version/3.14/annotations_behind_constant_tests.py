class Settings:
    if True:
        debug: bool = True
    name = 'a'
    if True:
        level: int

    def show(self):
        return self.name


class Chosen:
    if True:
        x: int = 1
    y: str = 'b'
