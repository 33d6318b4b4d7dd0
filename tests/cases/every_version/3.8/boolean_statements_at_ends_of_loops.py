def in_for(items, a, b):
    for item in items:
        a or b(item)


def before_a_return(items, a, b):
    for item in items:
        if item:
            a and b(item)
        else:
            a or item()
    return 3


def in_while(a, b, c):
    while a:
        if b:
            continue
        b or c()
    print(c)


async def asynchronous(items, a, b):
    async for item in items:
        a and await b(item)


def in_try(items, a, b):
    for item in items:
        try:
            a or b(item)
        except ValueError:
            pass


with lock:
    for item in items:
        item and print(item)
for item in items:
    for other in item:
        other or print(item)
print(items)
