class Aliases:
    global name

    type Alias = name
    other = 1


class Methods:
    global name, other

    def method[T: name](self, value: name) -> other:
        pass

    class Inner[T: (name, int)]:
        pass

    attribute: other
