def function(items):
    try:
        items()
    finally:
        for item in items:
            try:
                item()
            finally:
                if items(item):
                    break
    items("after")


try:
    print(0)
finally:
    try:
        print()
    finally:
        for item in print(1):
            try:
                item()
            finally:
                if item:
                    break
