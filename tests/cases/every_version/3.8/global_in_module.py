global n
print(n)
x = n
