class Outer:
    def k():
        class X:
            nonlocal __class__
            __class__ = 42

            def f():
                __class__

        class Y:
            def f(x):
                nonlocal __class__
                del __class__
                super()


class Mended:
    def tearDown(self):
        nonlocal __class__
        __class__ = Mended
