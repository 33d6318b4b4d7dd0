"""A loop in the last statement of a module: each ``break`` has a copy of the way out, one after another statement."""

try:
    begin()
except ValueError:
    if quiet:
        if failed:
            give_up()
    else:
        while True:
            if read():
                break
            if again():
                continue
            last()
            break
