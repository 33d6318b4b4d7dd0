def init(self):
    try:
        if self._appending:
            try:
                os.lseek(fd, 0, SEEK_END)
            except OSError as e:
                if e.errno != errno.ESPIPE:
                    raise
    except:
        self._stat = None
        if owned is not None:
            os.close(owned)
        raise
    self._fd = fd


def tls(self, ssl_context):
    ssl_sock = w()
    try:
        ssl_sock.do_handshake()
    except:
        ssl_sock.close()
        raise
    finally:
        self.__sock.close()
    self.__sock = ssl_sock
