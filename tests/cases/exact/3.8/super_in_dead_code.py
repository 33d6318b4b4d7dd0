"""Only dead code says `super`: the class has its cell all the same."""

class A:
    def f(self):
        return 1
        return super().f()
class B:
    def f(self):
        return 1
        return __class__
    def g(self):
        return super().g()
class C:
    def f(self):
        def g():
            return 1
            return super().f()
        return g
class D:
    def f(self):
        return super(D, self).f()
    def g(self):
        return [super(D, x).f() for x in self]
    def h(self):
        class E:
            x = super
            def i(self):
                return super
        return super
    def j(self):
        class E:
            x = super
        class F(super):
            pass
