def b(self):
    while True:
        try:
            if g(s):
                continue
            x = 3
            h(x)
        except KeyboardInterrupt:
            h(3)

