class Outer:
    if a:
        x: int

    class Inner:
        if b:
            y: str = 'y'

        class Innermost:
            try:
                z: bytes
            finally:
                print(z)


def function():
    class Local:
        for i in x:
            n: int

        class Inner:
            with b:
                y: str

    return Local
