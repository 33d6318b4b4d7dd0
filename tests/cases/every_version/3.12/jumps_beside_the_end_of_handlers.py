def get_event(self):
    while self.empty():
        while True:
            try:
                self.push(self.read(1))
            except OSError as err:
                if err.errno == errno.EINTR:
                    if not self.event_queue.empty():
                        return self.event_queue.get()
                    else:
                        continue
                elif err.errno == errno.EIO:
                    raise SystemExit(errno.EIO)
                else:
                    raise
            else:
                break
    return self.event_queue.get()


async def acquire(self):
    try:
        try:
            await fut
        finally:
            self.remove(fut)
    except CancelledError:
        if fut.done():
            self.value += 1
        raise
    finally:
        while self.value > 0:
            if not self.wake_up_next():
                break
    return True
