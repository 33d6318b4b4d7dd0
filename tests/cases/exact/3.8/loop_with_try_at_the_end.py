"""A module ends with an endless loop, in which handlers leave it."""

while True:
    line = f()
    if not line:
        break
    if g():
        continue
    h()
    try:
        x()
    except V:
        break
