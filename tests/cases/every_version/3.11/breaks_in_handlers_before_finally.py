def f(self):
    try:
        while True:
            try:
                if self.m:
                    p = self.a
                else:
                    p = self.b
                try:
                    line = self.r(p)
                except EOFError:
                    self.w('1')
                    break
                else:
                    more = self.p(line)
            except KeyboardInterrupt:
                self.w('2')
                more = 0
            except SystemExit as e:
                if self.l:
                    self.w('3')
                    break
                else:
                    raise e
    finally:
        self.x = 1
