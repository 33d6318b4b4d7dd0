class Handlers:
    def left_by_exceptions(self):
        with self.first() as context:
            self.count += 1
            try:
                yield context
            finally:
                if self.inner:
                    if self.count == 1:
                        print("#", end="")
                    else:
                        print("#")
                self.inner = False

    def in_a_handler(self, them):
        for one in them:
            try:
                a(one)
            except E:
                try:
                    b()
                finally:
                    if self.inner:
                        if self.count:
                            print(1)
                        else:
                            print(2)
                    self.inner = False
