async def f(a, agen):
    try:
        async for event in agen:
            yield event
    finally:
        await agen.aclose()


def g(a, agen):
    try:
        for event in agen:
            yield event
    finally:
        agen.close()
