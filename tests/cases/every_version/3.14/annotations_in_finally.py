try:
    start()
finally:
    x: int = 1
    y: str


class A:
    try:
        start()
    except ValueError:
        z: int
    finally:
        w: bytes = b''
