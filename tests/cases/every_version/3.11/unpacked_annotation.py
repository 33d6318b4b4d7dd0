def f():
    def first(*args: *Ts):
        pass

    def second(x: int, *args: *tuple[int, ...], y: int = 3) -> int:
        pass
