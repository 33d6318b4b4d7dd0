"""Keys of dictionaries that are f-strings without fields: no literals for the compiler."""


x = {f'': 0, 0: 0}
y = {f'a': q, f'b': 0, 'c': z}
z = {'a': 0, f'b{{': 1, **x, f'c': 2, 'd': 3, 'e': x}
