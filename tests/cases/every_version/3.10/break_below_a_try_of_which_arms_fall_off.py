def a(charset, c, fixup):
    for op, av in charset:
        while True:
            try:
                if op is L:
                    if fixup:
                        c[fixup(av)] = 1
                    else:
                        c[av] = 1
                elif op is R:
                    r = range(av)
                    if fixup:
                        for i in r:
                            c[i] = 1
                    else:
                        for i in r:
                            c[i] = 2
                elif op is N:
                    n = True
                else:
                    t.append((op, av))
            except I:
                if len(c) == 256:
                    c += b
                    continue
                if fixup:
                    h = True
                t.append((op, av))
            break
