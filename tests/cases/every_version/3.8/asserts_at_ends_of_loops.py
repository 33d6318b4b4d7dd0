def test_files(self):
    for file in files('example-pkg'):
        path = str(file.dist.locate_file(file))
        assert '.whl/' in path, path


def g(a):
    for o in a:
        if isinstance(o, tuple):
            assert hook not in o


def h(a):
    for o in a:
        if o in a:
            continue
        assert False, 'x'


def i(a):
    for o in a:
        if o in a:
            continue
        raise AssertionError
