def never_left(manager):
    with manager:
        try:
            yield manager.resource
        finally:
            manager.close()


def left(manager):
    with manager:
        try:
            yield manager.resource
            return
        finally:
            manager.close()


def with_branches(manager):
    with manager:
        try:
            yield
        finally:
            if manager:
                manager.close()
            manager.leave()


def in_two(manager, other):
    with manager:
        with other:
            try:
                yield
            finally:
                if manager:
                    manager.close()
                manager.leave()


async def awaited(manager):
    async with manager:
        try:
            yield
        finally:
            await manager.close()
