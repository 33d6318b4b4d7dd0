def t1(self, lst):
    return f(lst) if self.decimal == C else lst


def t2(self, lst):
    return [g(x) for x in lst] if self.decimal == C else lst


def t3(self, lst):
    return lst if self.decimal == C else [g(x) for x in lst]


def t4(self, lst):
    return f([g(x) for x in lst]) if self.decimal == C else lst


def t5(self, lst):
    y = f([g(x) for x in lst]) if self.decimal == C else lst
    return y


def t6(self, lst):
    y = a and f([g(x) for x in lst])
    return y


def t7(self, lst):
    return a and f([g(x) for x in lst])


def t8(self, lst):
    return a or f([g(x) for x in lst]) or b
