def one_end_of_a_finally(self):
    try:
        self.output.close()
    finally:
        name = self.name
        if name and not self.kept:
            try:
                remove(name)
            except OSError:
                pass
        self.is_open = False
