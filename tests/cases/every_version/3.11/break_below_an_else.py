def readline(self, keepends):
    while True:
        if data:
            if len(lines) > 1:
                line = lines[0]
                break
            if self.line0:
                if keepends:
                    line = line0
                else:
                    line = line1
                break
        if not data:
            break
        f()
    return line
