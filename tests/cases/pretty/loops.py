def over(items):
    for index, (a, *rest) in enumerate(items):
        if not a:
            continue
        if a > 10:
            break
        print(index, rest)
    else:
        print('none')
    return items


def nested(rows):
    for row in rows:
        for cell in row:
            if cell:
                break
        else:
            return row
    return None


def tested(a, b):
    while a and b:
        a = b.next()
        if a.x:
            continue
        if a.z:
            break
        b.y()
    else:
        b.z()
    return b


def endless(stream):
    while True:
        line = stream.readline()
        if not line:
            break
        yield line.strip()
    stream.close()


def searched(items, wanted):
    for item in items:
        if item is wanted:
            return True
    return False


def goes_on(items, wanted):
    for item in items:
        if item == wanted:
            continue
        if item is None or item.x and item.y:
            continue
        wanted.add(item)


def does_not_go_on(items, wanted):
    for item in items:
        if not item == wanted:
            wanted.add(item)
            if item.x or not item.y:
                wanted.add(item.x)


def waits(lock):
    while lock.acquire(False):
        pass
    while lock.acquire(True) and lock.held:
        pass
    for item in lock.items:
        while item.release():
            pass


def goes_on_or_ends(stream):
    while True:
        stream.flush()
        if stream.more:
            continue
        break
