"""Two ranks over gloo; the second gets another size. For torchrun."""

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()


@torch.compile
def step(x, scale):
    h = (x.sin() * scale).sum(0)
    dist.all_reduce(h)
    if h.sum() > 1e6:
        h = h / 2
    return h.softmax(-1)


for size in (4, 4 + rank):
    step(torch.ones(size, 8), 0.5)
# explain: print(torch._dynamo.explain(step)(torch.ones(4, 8), 0.5))
dist.destroy_process_group()
