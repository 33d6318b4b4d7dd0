def f(infile, outfile):
    while True:
        s = infile.readline()
        if not s:
            raise ValueError('Missing')
        if s[:5] == b'begin':
            break
    while True:
        s = infile.readline()
        if not s or s == b'end':
            break
        try:
            data = a(s)
        except E as v:
            n = s[0]
            data = a(s[:n])
        outfile.write(data)
    if not s:
        raise ValueError('Truncated')
    return outfile
