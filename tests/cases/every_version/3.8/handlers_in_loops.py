def else_in_a_loop(x):
    for i in x:
        try:
            x()
        except A:
            x(1)
        else:
            x(2)


def name_and_else_in_a_loop(x):
    for i in x:
        try:
            x()
        except A as e:
            x(e)
        else:
            x(2)


def left_from_the_try(self):
    while True:
        try:
            self.a = True
            self.loop()
            break
        except KeyboardInterrupt:
            self.message('interrupt')
    self.x()
