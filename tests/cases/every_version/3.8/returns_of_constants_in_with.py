def c(self, filename):
    with tokenize.open(filename) as f:
        try:
            process(f)
        except TokenError as msg:
            self.goto(msg)
            return False
        except Nag as nag:
            self.errorbox(nag)
            return False
    return True

