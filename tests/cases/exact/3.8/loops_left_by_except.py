"""Loops that an except clause leaves out of a with statement, or out of another try statement."""


def left_0():
    while True:
        with a():
            try:
                while True:
                    x = next(it)
                    if x:
                        break
                g()
            except StopIteration:
                if y:
                    h()
                break
    z()


def left_1():
    while True:
        with a():
            try:
                g()
            except StopIteration:
                if y:
                    h()
                break
    z()


def left_2():
    while True:
        with a():
            try:
                while True:
                    x = next(it)
                    if x:
                        break
                g()
            except StopIteration:
                break
    z()


def left_3():
    while True:
        with a():
            try:
                while True:
                    x = next(it)
                    if x:
                        break
                g()
            except StopIteration:
                if y:
                    h()
                break
    for stream in streams:
        stream.synchronize()


def left_4():
    if c:
        while True:
            with a():
                try:
                    g()
                except StopIteration:
                    break
        z()
    w()


def left_5():
    for x in y:
        while True:
            with a():
                try:
                    g()
                    if c:
                        continue
                except StopIteration:
                    break
                h()
        z()
        if w:
            continue
        u()


def left_6():
    while True:
        try:
            while True:
                with a():
                    try:
                        g()
                    except StopIteration:
                        break
                    h()
            z()
        finally:
            b()


def left_7():
    while True:
        try:
            with a():
                try:
                    g()
                except StopIteration:
                    break
                h()
        finally:
            b()
    u()


def left_8():
    while True:
        try:
            try:
                g()
            except StopIteration:
                break
        except V:
            w()
    u()
    v()


async def left_9():
    while True:
        async with a():
            try:
                await g()
            except StopIteration:
                break
    await z()
    return 5
