def passes_first(x, y):
    if x:
        pass
    elif y:
        y()
    else:
        x()
    return x


def passes_in_a_handler(self):
    try:
        self.close()
    except OSError as exc:
        if exc.errno == 22:
            pass
        else:
            raise
    return self


def ends_with_an_arm(self, x):
    try:
        if x:
            self.run(x)
    finally:
        self.close()
        del self.x


def ends_with_arms(self, x, y):
    try:
        self.x = x
        if x:
            if y:
                self.run(x)
            else:
                self.run(y)
    finally:
        self.close(x, y)


def returns_early(self, x):
    try:
        if x:
            return
        self.run(x)
    finally:
        self.close(x)
