def endless(a):
    while True:
        assert a, 27


def nested(a):
    while a:
        while a:
            assert a, 16
