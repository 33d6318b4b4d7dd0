def g456():
    while True:
        try:
            raise ValueError('oops')
        except ValueError:
            g_raised.set()
            if leave_g.wait(timeout=support.LONG_TIMEOUT):
                break
