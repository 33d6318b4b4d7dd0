"""One compiled function, called by threads and then by tasks of asyncio."""

import asyncio
import threading

import torch


@torch.compile(backend="eager")
def double(x):
    return x * 2


found = {}


def work(size):
    found[size] = double(torch.ones(size)).sum().item()


threads = [threading.Thread(target=work, args=(size,)) for size in range(2, 5)]
for one in threads:
    one.start()
for one in threads:
    one.join()


async def wait(size):
    await asyncio.sleep(0)
    return double(torch.ones(size)).sum().item()


async def main():
    return await asyncio.gather(*map(wait, (2, 3)))


print(sorted(found.items()), asyncio.run(main()))
