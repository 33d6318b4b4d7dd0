# The blocks of the first statement stand on both sides of those of the second, once the exits are copied.


def a_loop_left_by_its_finally(rows):
    try:
        for row in rows:
            try:
                row.run()
            finally:
                raise KeyError
    except* ValueError:
        pass
    try:
        a, b = rows.first(), rows.last
    except* ValueError:
        pass


def a_return_in_with_statements(rows):
    for row in rows:
        with row.open(0), row.open(1) as manager:
            try:
                manager += 1
            finally:
                return row.first() if not manager else row.last()
    try:
        assert rows.close(), rows.name
    except (KeyError, ValueError) as error:
        try:
            pass
        except:
            pass
        last = [row for row in rows if row]


def a_case(rows):
    match rows.first():
        case [first, *_] if rows.is_open():
            try:
                try:
                    first.run(rest := [row for row in rows if first])
                except (KeyError, ValueError) as error:
                    pass
                raise KeyError
            except* ValueError:
                pass
    with rows.open():
        pass
