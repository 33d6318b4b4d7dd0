def sift(heap, pos, new):
    while pos > 0:
        parent = heap[pos]
        if new < parent:
            heap[pos] = parent
            pos = pos - 1
            continue
        break
    heap[pos] = new


def all_alternatives(a, b):
    while a.next():
        if b:
            a.first()
            continue
        if a.last:
            return a
        raise b


def at_the_top(self, x, seen):
    while self.current < x:
        if self.width == 0:
            continue
        self.current += self.width
        if seen:
            if not self.more:
                continue
            self.add(seen)
        elif x:
            self.pop(seen)
