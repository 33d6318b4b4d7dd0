def raises_in_else(self):
    try:
        next(self.gen)
    except StopIteration:
        return False
    else:
        try:
            raise RuntimeError("it didn't stop")
        finally:
            self.gen.close()


def loop_in_else(path):
    try:
        entries = scan(path)
    except OSError:
        pass
    else:
        for entry in entries:
            try:
                if not entry.is_dir():
                    continue
            except OSError:
                continue
            yield entry


def behind(path):
    try:
        entries = scan(path)
    except OSError:
        return
    try:
        use(entries)
    finally:
        close()


def in_a_loop(values):
    for value in values:
        try:
            found = find(value)
        except KeyError:
            pass
        else:
            try:
                use(found)
            except ValueError:
                warn(found)
                raise
