def recv_wait(cid):
    while True:
        try:
            obj, unboundop = recv(cid)
        except Empty:
            sleep(0.1)
        else:
            assert unboundop is None, repr(unboundop)
            return obj


def wait_stopped(self, start_time):
    while True:
        self.join(1.0)
        if not self.is_alive():
            break
        dt = monotonic() - start_time
        self.log(f'Waiting for {self}')
        if dt > WAIT:
            print_warning(f'Failed to join {self}')
            break


def b():
    while True:
        try:
            arg_val = next(arg_vals)
        except StopIteration:
            f()
        else:
            try:
                param = next(parameters)
            except StopIteration:
                raise TypeError
            else:
                break
    g()


def d():
    while True:
        try:
            arg_val = next(arg_vals)
        except StopIteration:
            f()
        else:
            try:
                param = next(parameters)
            except StopIteration:
                raise TypeError
            else:
                break
    for param in y:
        try:
            arg_val = kwargs.pop(param_name)
        except KeyError:
            if a:
                raise E
        else:
            arguments[param_name] = arg_val
    g()
