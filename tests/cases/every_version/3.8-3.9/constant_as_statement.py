5 if True else None
print(1)
