def first_in_a_with(self):
    with self.lock:
        if self.cancelled:
            return
        return self.run()


def in_a_loop_in_a_with(sock):
    with closing(sock):
        while not shut_down():
            data = sock.recv()
            if data == b'':
                return
            use(data)
