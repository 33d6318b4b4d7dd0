(z): 'str' = 2


class A:
    (y): 'str' = 2
