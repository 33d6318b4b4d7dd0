x
(_): None
