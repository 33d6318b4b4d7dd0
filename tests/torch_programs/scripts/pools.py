"""Pools of one process each, started as the first argument says; with a second argument, a compilation here too."""

import multiprocessing
import sys


def work(n):
    import torch

    return float(torch.compile(lambda x: x * n, backend="eager")(torch.ones(2)).sum())


if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    for n in (1, 2):
        with context.Pool(1) as pool:
            print(pool.map(work, [n]))
            pool.close()
            pool.join()
    if sys.argv[2:]:
        print(work(3))
