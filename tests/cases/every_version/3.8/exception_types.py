def conditional_type(action, message):
    try:
        run(action)
    except re.PatternError if message or action else ():
        if message:
            handle()
        raise


def conditional_with_name(a):
    try:
        run()
    except A if a else B as error:
        handle(error)
    except A and B:
        other()
    except A or B:
        third()
    except tuple(x for x in a):
        fourth()
