"""Ends of the code that the compiler copied, behind statements and inside of expressions."""


def behind_two_with_items(path, lock):
    with open(path) as a, open(lock) as b:
        g(a, b)
    return path


def behind_a_break_in_a_with_statement(self):
    while self.status is None:
        with self.lock:
            if self.status is not None:
                break
            if self.wait(0) == self.pid:
                self.handle()
    return self.status


def behind_a_break_in_a_finally_statement(self, timeout):
    if self.status is not None:
        return self.status
    if timeout is not None:
        while True:
            if self.lock.acquire(False):
                try:
                    if self.status is not None:
                        break
                    if self.wait(0) == self.pid:
                        self.handle()
                        break
                finally:
                    self.lock.release()
            sleep(delay)
    return self.status


def a_return_in_a_finally_statement_and_one_behind(self, state):
    if self.status is None:
        try:
            if self.status is not None:
                return self.status
            self.handle()
        except OSError as e:
            if state is not None:
                self.status = state
            elif e.errno == 1:
                self.status = 0
        finally:
            self.lock.release()
    return self.status


def returns_of_two_values(pairs, one):
    for a, b in pairs:
        try:
            g(a)
            if one and a == b:
                return a, b, (one, a)
            else:
                return a, b, (one,)
        except OSError:
            pass
    return None


def the_same_call_behind_a_try_statement_and_without_one(self, state):
    if state == 3:
        super().set(state)
    elif state == 2:
        try:
            state = tuple(x % 2 for x in state)
        except ValueError as e:
            raise TypeError from e
        super().set(state)
    else:
        raise ValueError(state)


def a_condition_in_the_last_argument(given, kwonly, plural):
    values = [one for one in kwonly if one in given]
    raise TypeError(
        "%s argument%s (%s) %s given"
        % (given, "s" if plural else "", values, "was" if given == 1 and not values else "were")
    )
