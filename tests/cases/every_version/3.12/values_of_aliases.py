type Chosen = small and tiny if flag else large
type OfParameters[T] = list[T] and tuple[T] if flag else set[T]
type Plain = a if b else c


def hidden(items):
    {name: name for name in items}
    type Alias = name
    name = 1
