found = [f for f in x if (True if f is None else f)]
all_of = {f for f in x if f.a and (True if f else f.b) for g in f}
lazily = list(f for f in x if (True if f is None else f))
