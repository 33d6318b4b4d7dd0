def tested_at_the_top(lines, pending):
    while True:
        while len(lines) < 4:
            lines.append(next(pending))
        if lines[0]:
            yield lines
            continue
        while pending:
            pending.pop()
        if not lines:
            return


def with_try(lines, found):
    while True:
        while len(lines) == 0 or len(found) == 0:
            try:
                line = next(lines)
            except StopIteration:
                return
            if line is not None:
                found.append(line)
        yield found.pop(0)


def left_by_return(self, send):
    while True:
        while self.receive():
            if self.done():
                return self.tag
        send(self)
        if not self.more:
            break
    return None
