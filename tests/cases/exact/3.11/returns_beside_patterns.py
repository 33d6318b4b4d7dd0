def shows(lines, anchors):
    with suppress(SyntaxError):
        tree = parse(lines)
        if not tree.body:
            return False
        value = None
        match tree.body[0]:
            case Return(value=Call()):
                value = tree.value
        if value is not None:
            return False
    if anchors:
        return True
    return False
