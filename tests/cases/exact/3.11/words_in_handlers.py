def continue_in_a_handler(infos, self):
    for sa in infos:
        try:
            bind(sa)
        except OSError as err:
            msg = err
            if err.errno:
                close()
                if self._debug:
                    warn(msg)
                continue
            else:
                raise OSError(msg) from None
    return 3
