class Body:
    [0 for print.attribute in ()]
    {name for print.attribute in ((),) if name}
    print({name: other for print.name in () for other in ()})
    name += 1


[name for print[0] in () for print[1] in ()]
name = 1
