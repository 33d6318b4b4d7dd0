def loop_to_the_end(items, a, b):
    while items:
        with a() as first, b(first):
            try:
                items.pop()
            except:
                items.clear()
            continue
        items.add(first)


def loop_to_another_with(items, a, b):
    while items:
        with a() as first:
            with b(first) as second:
                try:
                    second()
                except ValueError:
                    first()
                continue
        with a():
            items.pop()


def with_a_return(items, a, b):
    with a() as first, b(first):
        try:
            items.pop()
        except:
            items.clear()
        return True
