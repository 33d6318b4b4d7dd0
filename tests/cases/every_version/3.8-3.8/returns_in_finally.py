def after(output):
    try:
        output.append(2)
    finally:
        output.append(4)
        return
