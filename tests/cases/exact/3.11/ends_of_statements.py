"""How statements end where the compiler leaves little: in clauses, with statements and at the end of the code."""


def pass_before_finally(self):
    try:
        a = self.target
    except AttributeError:
        pass
    else:
        return a()
    finally:
        self.g()


def else_pass(f, l):
    if 'ELF' in f:
        l = 1
    elif 'COFF' in f:
        l = 2
    elif 'MS' in f:
        l = 3
    else:
        pass
    return l


def break_behind_a_try_statement(self, name):
    while True:
        name = g()
        try:
            self._fd = h(name)
        except FileExistsError:
            continue
        self._name = name
        break
    return self


def breaks_of_two_tests(alpha, p, x):
    if alpha > 1.0:
        while True:
            if h(x):
                return x
    elif alpha == 1.0:
        return 1
    else:
        while True:
            u1 = random()
            if p > 1.0:
                if u1 <= x ** (alpha - 1.0):
                    break
            elif u1 <= _exp(-x):
                break
        return x


def raise_in_one_arm(info):
    for info in iter_modules(path, prefix):
        yield info
        if info.ispkg:
            try:
                imp(info.name)
            except ImportError:
                if onerror is not None:
                    onerror(info.name)
            except Exception:
                if onerror is not None:
                    onerror(info.name)
                else:
                    raise
            else:
                path = getattr(sys.modules[info.name])
                yield from walk(path)


def return_in_a_clause_in_a_try_statement(f, dotlock):
    try:
        if dotlock:
            try:
                pre_lock = c(f)
            except OSError as e:
                if e.errno in (EACCES, EROFS):
                    return
                else:
                    raise
            try:
                link(pre_lock)
            except FileExistsError:
                os.remove(pre_lock.name)
                raise Clash
    except:
        if fcntl:
            unlock(f)
        raise


def continue_in_a_with_statement_in_a_try_statement(hkcr):
    for name in it(hkcr):
        try:
            with OpenKey(hkcr) as subkey:
                if not name.startswith("."):
                    continue
                if datatype != SZ:
                    continue
                add_type(name)
        except OSError:
            continue


def continue_in_a_with_statement(hkcr):
    for name in it(hkcr):
        with OpenKey(hkcr) as subkey:
            if not name.startswith("."):
                continue
            if datatype != SZ:
                continue
            add_type(name)


async def continue_in_an_async_with_statement(hkcr):
    for name in it(hkcr):
        try:
            async with OpenKey(hkcr) as subkey:
                if not name.startswith("."):
                    continue
                if datatype != SZ:
                    continue
                add_type(name)
        except OSError:
            pass


def pass_in_a_with_statement(hkcr):
    for name in it(hkcr):
        with OpenKey(hkcr) as subkey:
            if not name.startswith("."):
                pass
            elif datatype != SZ:
                pass
            else:
                add_type(name)


def continue_before_else(hkcr):
    while a:
        with OpenKey(hkcr) as subkey:
            if not name.startswith("."):
                continue
            else:
                add_type(name)
        x()


def continue_in_a_while_loop(hkcr):
    while a:
        with OpenKey(hkcr) as subkey:
            if not name.startswith("."):
                continue
            add_type(name)


def false_is_as_wide_as_break(self):
    if self.maxBytes > 0:
        if not pos:
            return False
        if pos + len(msg) >= self.maxBytes:
            if exists(self.base) and not isfile(self.base):
                return False
            return True
    return False


def two_loads_in_one_instruction(self):
    with closing(self.filename) as cx:
        keys = [r[0] for r in cx.execute("SELECT key FROM Dict")]
        vals = [r[0] for r in cx.execute("SELECT value FROM Dict")]
    return keys, vals
