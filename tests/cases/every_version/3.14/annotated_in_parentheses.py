(z): None = 2
y = 3
