"""Annotated places whose annotation nobody evaluates, and complex numbers in patterns that only a difference gives."""


def annotated_place():
    class Bad:
        no_such_name.attribute: int = 0


def less_zero(x):
    match x:
        case list([({-0 - 0j: int(real=0 + 0j, imag=0 - 0j) | (1) as z},)]):
            y = 0
