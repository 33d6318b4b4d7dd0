match (n := read()):
    case []:
        print(n)
match (n := read()):
    case 1:
        print(n)
    case 2:
        print(2)


def of_function(f):
    match (x := f()):
        case [a, b]:
            return a + b
        case [a]:
            return x

