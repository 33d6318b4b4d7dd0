"""Returns in loops in ``with`` statements in ``try``: what follows is no part of any loop."""


def from_a_handler_in_while(self, line):
    try:
        with self.d():
            while a():
                try:
                    line = b()
                except E:
                    return
        g()
    except:
        h()


def not_in_try(self, line):
    with self.d():
        while a():
            try:
                line = b()
            except E:
                return
    g()


def not_in_a_loop(self, line):
    try:
        with self.d():
            try:
                line = b()
            except E:
                return
        g()
    except:
        h()


def of_a_value(self, line):
    try:
        with self.d():
            while a():
                try:
                    line = b()
                except E:
                    return 1
        g()
    except:
        h()


def from_if_in_while(self, line):
    try:
        with self.d():
            while a():
                if x:
                    return
        g()
    except:
        h()


def from_a_handler_in_for(self, line):
    try:
        with self.d():
            for a in b:
                try:
                    line = b()
                except E:
                    return
        g()
    except:
        h()
