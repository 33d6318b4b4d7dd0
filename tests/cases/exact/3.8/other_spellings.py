"""Statements that have several spellings of the same meaning, of which one compiles to these instructions."""


def tests_after_a_test(p, u, x, e):
    while True:
        u = p()
        if p > 1.0:
            if u <= x:
                break
        elif u <= e(-x):
            break
    return u


def an_assertion_that_is_last(registry, pending):
    try:
        while True:
            f = pending.pop()
            try:
                f()
            except Exception:
                print(f)
            assert f not in registry
    finally:
        registry.clear()


def an_arm_at_the_end_of_a_with_statement(self, m, in_band):
    with m:
        if in_band:
            if m.readonly:
                self.save(m)
            else:
                self.save_array(m)
        else:
            self.write(1)
            if m.readonly:
                self.write(2)


def a_return_in_a_handler(f, lock, link):
    try:
        if lock:
            try:
                f = lock()
            except OSError as e:
                if e.errno in (1, 2):
                    return
                else:
                    raise
            try:
                try:
                    link(f)
                except AttributeError:
                    link.rename(f)
                else:
                    link.unlink(f)
            except FileExistsError:
                link.remove(f)
                raise ValueError(f)
    except:
        if link:
            link(0)
        raise


def continue_in_a_with_statement_in_a_try_statement(names, key, add):
    with key:
        for name in names(key):
            try:
                with key(name) as subkey:
                    if not name.startswith("."):
                        continue
                    kind, value = subkey("Content Type")
                    if value != 1:
                        continue
                    add(kind, name)
            except OSError:
                continue


def return_behind_a_jump_back(self, alpha, log):
    if alpha > 1.0:
        while True:
            u1 = self()
            if not 1e-7 < u1 < 0.9999999:
                continue
            v = log(u1)
            if v >= 0.0 or alpha >= log(v):
                return v
    elif alpha == 1.0:
        return -log(self())
    else:
        return 0
