def get_legacy(members):
    if AIX_ABI == 64:
        expr = r'shr4?_?64\.o'
        member = get_one_match(expr, members)
        if member:
            return member
    else:
        for name in ('shr.o', 'shr4.o'):
            member = get_one_match(re.escape(name), members)
            if member:
                return member
    return None
