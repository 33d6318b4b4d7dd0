class Conditional:
    if a:
        x.y: None = 3
    b = 1


class WithoutValue:
    if a:
        x
        (_): None
    b = 1


try:
    a.b: None = c
finally:
    pass
