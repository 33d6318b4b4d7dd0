"""A process of torch.multiprocessing that compiles and then fails."""

import torch
import torch.multiprocessing


@torch.compile(backend="eager")
def f(x):
    return x + 1


def work(rank, size):
    print("rank", rank, f(torch.ones(size)).sum().item(), flush=True)
    if rank == 0:
        raise ValueError("this one fails")


if __name__ == "__main__":
    try:
        torch.multiprocessing.spawn(work, args=(3,), nprocs=1)
    except torch.multiprocessing.ProcessRaisedException as error:
        print(str(error).splitlines()[-1])
