def breaks_at_the_end_of_a_try_body(item):
    try:
        while True:
            item()
            if item is None:
                break
            item(1)
            if item(2):
                break
    except KeyboardInterrupt:
        print()
    item(3)
