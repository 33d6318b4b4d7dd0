def of_calls(self, wait):
    with wait() as selector:
        selector.register(self)
        while True:
            if selector.select(self):
                return self.handle()
            else:
                if wait is not None:
                    rest = wait - self.now()
                    if rest < 0:
                        return self.handle_timeout()


def behind(self, wait):
    with wait() as selector:
        while True:
            if selector.select(self):
                break
            self.handle()
        return self.handle_timeout()
