def breaks_at_the_end_of_an_outer_loop(item):
    while True:
        item(8)
        if item:
            while True:
                item()
                if item is None:
                    item(4)
                    break
                if item(2):
                    item(5)
                    break
        elif item(9):
            break
    item(6)
