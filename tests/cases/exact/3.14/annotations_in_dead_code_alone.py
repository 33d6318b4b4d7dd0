while print():
    if 0:
        first: int
        second: str = "no value"
    print()
