def function(base):
    class Raises(base):
        raise base

        def method[T: base](self):
            pass

    class Aliases:
        if 0:
            type Alias = int
