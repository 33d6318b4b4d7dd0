class Attribute:
    no.attr: int = 0


class Item:
    x: int
    x['y']: list = []


class Explicit(type):
    __annotations__['123'] = 123
    __annotations__['for'] = 123
    o: type = object


class Dead:
    if False:
        __annotations__: None
