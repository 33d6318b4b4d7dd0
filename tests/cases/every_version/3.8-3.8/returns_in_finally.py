def after(output):
    try:
        output.append(2)
    finally:
        output.append(4)
        return


def another_value():
    try:
        return 2
    finally:
        return 3


def in_a_loop(items):
    for item in items:
        try:
            return 'item'
        finally:
            break
    return 5
