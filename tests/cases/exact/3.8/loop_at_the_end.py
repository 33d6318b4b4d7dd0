"""A module ends with an endless loop."""

while 1:
    line = f()
    if not line:
        break
    g()
