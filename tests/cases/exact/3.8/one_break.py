def one_break(q, has_done):
    while True:
        try:
            record = q.get()
            if record is None:
                if has_done:
                    q.task_done()
                break
            handle(record)
            if has_done:
                q.task_done()
        except Empty:
            break


def one_return(self):
    try:
        if self.empty:
            if self.closing:
                self.close()
            return
        write(self)
    except OSError as error:
        report(error)
    else:
        resume(self)


def one_continue(tasks):
    try:
        for number, task in enumerate(tasks):
            try:
                put(task)
            except OSError:
                if number:
                    retry(task)
                continue
            done(task)
    finally:
        del tasks
