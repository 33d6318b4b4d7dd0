"""What only a GPU shows: Triton kernels, Inductor's and the user's, CUDA graphs, devices, streams."""

from __future__ import annotations

import contextlib
import os
import tempfile

import torch
from torch import nn

from .suite import call, compiled, program

GPU = {"backend": "inductor", "device": "cuda"}


def normal(*shape, **options):
    return torch.randn(*shape, device="cuda", **options)


@contextlib.contextmanager
def inductor_set(**settings):
    """Settings of Inductor that `options` of torch.compile may not have in each version."""
    from torch._inductor import config

    known = {name.replace("__", "."): value for name, value in settings.items()}
    with config.patch({name: value for name, value in known.items() if has(config, name)}):
        yield


def has(config, name):
    for part in name.split("."):
        if not hasattr(config, part):
            return False
        config = getattr(config, part)
    return True


# ---- Inductor's kernels


@program(**GPU)
def gpu_pointwise():
    "Three lines, one kernel."

    def f(x):
        y = torch.sin(x)
        z = y + 1
        return z * y

    return call(compiled(f), normal(64))


@program(**GPU)
def gpu_reductions():
    "A persistent reduction, one with a loop, one that is split, an index, a scan and a sort."

    def f(short, long):
        probabilities = short.softmax(-1)
        mean = long.mean(-1)
        whole = long.sum()
        best = short.argmax(-1)
        running = short.cumsum(-1)
        ordered = short.sort(-1)[0]
        return probabilities, mean, whole, best, running, ordered

    return call(compiled(f), normal(16, 64), normal(4, 70000))


@program(**GPU)
def gpu_matrix_product():
    "A library's matrix product, and what follows it."

    def f(x, w, b):
        y = x @ w
        y = y + b
        return torch.relu(y)

    return call(compiled(f), normal(32, 64), normal(64, 16), normal(16))


@program(repeatable=False, **GPU)
def gpu_matrix_template():
    "mode=max-autotune-no-cudagraphs: a template of Triton's, with what follows in its epilogue."

    def f(x, w, b):
        y = x @ w
        y = y + b
        return torch.relu(y)

    half = {"dtype": torch.bfloat16}
    with inductor_set(max_autotune_gemm_backends="TRITON"):
        f = torch.compile(f, mode="max-autotune-no-cudagraphs")
        return f(normal(256, 512, **half), normal(512, 256, **half), normal(256, **half)).shape


@program(repeatable=False, **GPU)
def gpu_convolution_template():
    "The same for a convolution and a product of batches."

    def f(x, w, a, b):
        y = nn.functional.conv2d(x, w, padding=1)
        z = torch.bmm(a, b)
        return y.relu(), z * 2

    half = {"dtype": torch.float16}
    with inductor_set(max_autotune_gemm_backends="TRITON", max_autotune_conv_backends="TRITON"):
        f = torch.compile(f, mode="max-autotune-no-cudagraphs")
        found = f(normal(2, 16, 16, 16, **half), normal(32, 16, 3, 3, **half), normal(4, 128, 64, **half),
                  normal(4, 64, 128, **half))
    return [one.shape for one in found]


@program(**GPU)
def gpu_foreach():
    "A list of tensors in one kernel."

    def f(xs, ys):
        zs = torch._foreach_add(xs, ys)
        return torch._foreach_mul(zs, 2.0)

    return call(compiled(f), [normal(8 + n) for n in range(4)], [normal(8 + n) for n in range(4)])


@program(**GPU)
def gpu_optimizer_step():
    "Adam's step, compiled."
    model = nn.Sequential(nn.Linear(8, 4), nn.Tanh(), nn.Linear(4, 1)).cuda()
    adam = torch.optim.Adam(model.parameters(), lr=0.1, capturable=True)
    step = compiled(adam.step)
    x = normal(6, 8)
    for _ in range(2):
        adam.zero_grad()
        model(x).square().mean().backward()
        step()
    return model


@program(**GPU)
def gpu_combo_kernels():
    "Kernels that do not depend on one another, put into one."

    def f(a, b, c):
        left = a.sin() + 1
        middle = b.cos() * 2
        right = c.sum(-1)
        return left, middle, right

    with inductor_set(combo_kernels=True, benchmark_combo_kernel=False):
        return call(compiled(f), normal(64), normal(128), normal(8, 64))


@program(**GPU)
def gpu_multi_kernel():
    "triton.multi_kernel: a persistent reduction and a loop, of which the faster stays."

    def f(x):
        return x.softmax(-1) + 1

    with inductor_set(triton__multi_kernel=1):
        return call(compiled(f), normal(32, 512))


@program(**GPU)
def gpu_cooperative_reduction():
    "triton.force_cooperative_reductions."

    def f(x):
        return x.sum() + x.amax()

    with inductor_set(triton__force_cooperative_reductions=True):
        return call(compiled(f), normal(4096))


@program(**GPU)
def gpu_plain_kernel_names():
    "triton.descriptive_names=False and triton.unique_kernel_names=False: kernels without names."

    def f(x):
        return (x.sin() + 1).sum(), x * 2

    with inductor_set(triton__descriptive_names=False, triton__unique_kernel_names=False):
        return call(compiled(f), normal(32, 64))


@program(**GPU)
def gpu_names_of_torch():
    "triton.descriptive_names='torch'."

    def f(x):
        return (x.sin() + 1).relu()

    with inductor_set(triton__descriptive_names="torch"):
        return call(compiled(f), normal(32, 64))


@program(**GPU)
def gpu_autotuned_at_compile_time():
    "triton.autotune_at_compile_time: the module has code that tunes its kernels."

    def f(x):
        return (x.sin() + 1).sum(-1)

    with inductor_set(triton__autotune_at_compile_time=True):
        return call(compiled(f), normal(32, 64))


@program(**GPU)
def gpu_benchmarked_kernels():
    "benchmark_kernel: the source of each kernel can be run by itself."

    def f(x):
        return (x.sin() + 1).sum(-1)

    with inductor_set(benchmark_kernel=True):
        return call(compiled(f), normal(32, 64))


@program(**GPU)
def gpu_wrapper_in_cpp():
    "cpp_wrapper: a wrapper in C++ calls the kernels."

    def f(x, w):
        y = torch.sin(x)
        return (y + 1) @ w

    with inductor_set(cpp_wrapper=True):
        return call(compiled(f), normal(16, 16), normal(16, 16))


@program(**GPU)
def gpu_dynamic_shapes():
    "One kernel for all lengths."
    f = compiled(lambda x: x.softmax(-1) * x.shape[0], dynamic=True)
    return [call(f, normal(n, 64)) for n in (3, 4, 7)]


@program(**GPU)
def gpu_many_outputs():
    "Views, slices, a concatenation, padding."

    def f(x, y):
        both = torch.cat([x * 2, y.sin()], 1)
        padded = nn.functional.pad(both, (1, 1))
        return padded.t(), both[:, ::2], both.view(-1)[3:]

    return call(compiled(f), normal(4, 8), normal(4, 8))


@program(**GPU)
def gpu_indexing():
    "Gather, index_put, embedding; backward adds into the same rows."
    weight = normal(10, 4, requires_grad=True)

    def f(numbers, weight):
        rows = nn.functional.embedding(numbers, weight)
        picked = weight[numbers[0]]
        return (rows.sum(1) * 2) + picked.sum(0)

    found = call(compiled(f), torch.tensor([[1, 2, 3], [4, 5, 6]], device="cuda"), weight)
    found.sum().backward()
    return found, weight.grad


@program(**GPU)
def gpu_without_triton():
    "Operations that Inductor leaves to ATen: FFT, complex numbers, an inverse."

    def f(x):
        y = torch.fft.rfft(x)
        z = torch.linalg.inv(x @ x.t() + torch.eye(8, device="cuda"))
        return y.abs(), z

    return call(compiled(f), normal(8, 8))


@program(**GPU)
def gpu_random():
    "Dropout and random numbers in a kernel."

    def f(x):
        y = nn.functional.dropout(x, 0.5)
        return y + torch.rand_like(x)

    torch.manual_seed(3)
    return compiled(f)(normal(64))


@program(**GPU)
def gpu_assertion():
    "An assertion on data in a graph."

    def f(x, n):
        size = n.item()
        torch._check(size >= 0)
        torch._check(size <= x.shape[0])
        return x[:size] * 2

    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        return call(compiled(f), normal(8), torch.tensor(5, device="cuda"))


@program(**GPU)
def gpu_conditional():
    "torch.cond: branches as functions of the wrapper."

    def f(x):
        return torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,)) + 1

    f = compiled(f)
    return call(f, torch.ones(8, device="cuda")), call(f, -torch.ones(8, device="cuda"))


@program(**GPU)
def gpu_kernels_of_both_devices():
    "One graph with loops for the CPU and kernels for the GPU."

    def f(x, y):
        there = x.sin() + 1
        here = y.cos() * 2
        return there, here, there + here.cuda()

    return call(compiled(f), normal(64), torch.ones(64))


# ---- training


@program(repeatable=False, **GPU)
def gpu_training_with_autocast():
    "Forward and backward in bfloat16 under autocast."
    model = nn.Sequential(nn.Linear(16, 32), nn.LayerNorm(32), nn.GELU(), nn.Linear(32, 4)).cuda()

    def loss(x, y):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            scores = model(x)
            return nn.functional.cross_entropy(scores, y)

    f = compiled(loss)
    found = call(f, normal(8, 16), torch.arange(8, device="cuda") % 4)
    found.backward()
    return found, [one.grad for one in model.parameters()]


@program(**GPU)
def gpu_scaled_gradients():
    "float16 with a GradScaler around the compiled model."
    model = nn.Linear(16, 4).cuda()
    scaler = torch.amp.GradScaler("cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    f = compiled(model)
    for _ in range(2):
        with torch.autocast("cuda", dtype=torch.float16):
            value = f(normal(8, 16)).float().square().mean()
        scaler.scale(value).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
    return model


class Block(nn.Module):
    """A block of a transformer."""

    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(32)
        self.qkv = nn.Linear(32, 96)
        self.out = nn.Linear(32, 32)
        self.feed = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 32))

    def forward(self, x):
        q, k, v = self.qkv(self.norm(x)).unflatten(-1, (3, 2, 16)).unbind(-3)
        q, k, v = (one.transpose(1, 2) for one in (q, k, v))
        attention = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attention.transpose(1, 2).flatten(-2))
        return x + self.feed(x)


@program(**GPU)
def gpu_transformer_block():
    "A transformer's block with attention of the library, forward and backward, in bfloat16."
    model = nn.Sequential(Block(), Block()).cuda().bfloat16()
    found = call(compiled(model), normal(2, 32, 32, dtype=torch.bfloat16))
    found.float().square().mean().backward()
    return found.shape, len([one.grad for one in model.parameters()])


@program(**GPU)
def gpu_checkpointed():
    "Activations computed again in the backward."
    from torch.utils.checkpoint import checkpoint

    weight = normal(16, 16, requires_grad=True)

    def f(x):
        return checkpoint(lambda x: (x @ weight).sin().cos(), x, use_reentrant=False).sum()

    found = call(compiled(f), normal(4, 16))
    found.backward()
    return found, weight.grad


# ---- attention


@program(needs="torch.nn.attention.flex_attention", **GPU)
def gpu_flex_attention():
    "flex_attention with a score of one's own and a mask of blocks, forward and backward."
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    def causal(batch, head, query, key):
        return query >= key

    def nearer(score, batch, head, query, key):
        return score - (query - key) * 0.01

    mask = create_block_mask(causal, None, None, 128, 128, device="cuda")

    def f(q, k, v):
        found = flex_attention(q, k, v, score_mod=nearer, block_mask=mask)
        return found * 2

    q, k, v = (normal(1, 2, 128, 32, requires_grad=True) for _ in range(3))
    found = compiled(f)(q, k, v)
    found.sum().backward()
    return found.shape, q.grad.shape


# ---- kernels that a user wrote


@program(**GPU)
def gpu_users_kernel():
    "A kernel of the user's, between operations of torch."
    from .triton_kernels import add

    def f(x, y):
        out = torch.empty_like(x)
        add[(1,)](x.sin(), y, out, x.numel(), BLOCK=128)
        return out * 2

    return call(compiled(f), normal(100), normal(100))


@program(repeatable=False, **GPU)
def gpu_users_autotuned_kernel():
    "The same with two configurations, and a grid that is a function."
    from .triton_kernels import add_autotuned

    def f(x, y):
        out = torch.empty_like(x)
        add_autotuned[lambda meta: ((x.numel() + meta["BLOCK"] - 1) // meta["BLOCK"],)](x, y, out, x.numel())
        return out + 1

    return compiled(f)(normal(1000), normal(1000)).shape


@program(**GPU)
def gpu_users_kernel_with_helper():
    "A kernel that calls another function of Triton's, twice with other constants."
    from .triton_kernels import add_with_strides

    def f(x):
        out, other = torch.empty_like(x), torch.empty_like(x)
        add_with_strides[(x.shape[0],)](x, out, x.shape[0], x.shape[1], x.stride(0), IS_DOUBLED=True, BLOCK=64)
        add_with_strides[(x.shape[0],)](x, other, x.shape[0], x.shape[1], x.stride(0), IS_DOUBLED=False, BLOCK=64)
        return out + other

    return call(compiled(f), normal(4, 50))


@program(needs="torch.library.triton_op", **GPU)
def gpu_operator_of_triton():
    "A kernel as an operator: torch.library.triton_op."
    from .triton_kernels import scaled_op

    return call(compiled(lambda x: scaled_op(x.cos(), 3.0) + 1), normal(100))


@program(**GPU)
def gpu_users_kernel_on_eager():
    "A kernel of the user's in a graph that is not compiled further."
    from .triton_kernels import scaled

    return call(torch.compile(lambda x: scaled(x, 2.0) + 1, backend="eager"), normal(100))


# ---- CUDA graphs


def three_times(f, *args):
    found = []
    for _ in range(3):
        torch.compiler.cudagraph_mark_step_begin()
        found.append(f(*args).clone())
    return found


@program(index="CUDA graph", **GPU)
def gpu_cuda_graph():
    "mode=reduce-overhead: one CUDA graph."
    return three_times(torch.compile(lambda x: x.exp() - 1, mode="reduce-overhead"), normal(8))


@program(index="CUDA graph", **GPU)
def gpu_cuda_graph_of_training():
    "Forward and backward, a graph break between."
    weight = normal(8, 8, requires_grad=True)

    def f(x):
        y = (x @ weight).sin()
        torch._dynamo.graph_break()
        return (y * y).sum()

    f = torch.compile(f, mode="reduce-overhead")
    found = []
    for _ in range(3):
        weight.grad = None
        torch.compiler.cudagraph_mark_step_begin()
        value = f(torch.ones(4, 8, device="cuda"))
        value.backward()
        found.append((value.detach().clone(), weight.grad.clone()))
    return found


@program(index="CUDA graph", **GPU)
def gpu_cuda_graph_not_for_changed_inputs():
    "An input that is changed."

    def f(x):
        x.add_(1)
        return x * 2

    return three_times(torch.compile(f, mode="reduce-overhead"), normal(8))


@program(index="CUDA graph", **GPU)
def gpu_cuda_graph_not_for_the_cpu():
    "A tensor on the CPU takes part."

    def f(x, y):
        z = y.sin() + 1
        return x * z.cuda()

    with inductor_set(graph_partition=False):
        return three_times(torch.compile(f, mode="reduce-overhead"), normal(8), torch.ones(8))


@program(index="CUDA graph", **GPU)
def gpu_cuda_graph_in_parts():
    "The same, cut into parts of which some are CUDA graphs."

    def f(x, y):
        z = y.sin() + 1
        first = (x * 2).relu()
        return first * z.cuda()

    with inductor_set(graph_partition=True):
        return three_times(torch.compile(f, mode="reduce-overhead"), normal(8), torch.ones(8))


@program(index="CUDA graph", **GPU)
def gpu_cuda_graph_not_for_dynamic_shapes():
    "triton.cudagraph_skip_dynamic_graphs."
    with inductor_set(triton__cudagraph_skip_dynamic_graphs=True):
        f = torch.compile(lambda x: x * 2, mode="reduce-overhead", dynamic=True)
        return [f(normal(n)).clone() for n in (3, 4, 5)]


@program(index="CUDA graph", **GPU)
def gpu_cuda_graph_for_each_shape():
    "A CUDA graph for each length."
    f = torch.compile(lambda x: x * 2, mode="reduce-overhead", dynamic=True)
    return [f(normal(n)).clone() for n in (3, 4, 5, 3, 4, 5)]


@program(index="CUDA graph", **GPU)
def gpu_cuda_graph_not_for_some_operations():
    "An operation whose size depends on data."

    def f(x):
        return x.nonzero().float() * 2

    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True), inductor_set(graph_partition=False):
        return three_times(torch.compile(f, mode="reduce-overhead"), torch.tensor([0.0, 1.0, 2.0], device="cuda"))


@program(**GPU)
def gpu_cuda_graph_of_nothing_on_a_gpu():
    "mode=reduce-overhead of a function of tensors on the CPU."
    return three_times(torch.compile(lambda x: x * 2, mode="reduce-overhead"), torch.ones(8))


@program(index="CUDA graph", repeatable=False, **GPU)
def gpu_max_autotune():
    "mode=max-autotune: templates in a CUDA graph."
    f = torch.compile(lambda x, w: (x @ w).relu(), mode="max-autotune")
    return three_times(f, normal(64, 64, dtype=torch.bfloat16), normal(64, 64, dtype=torch.bfloat16))[0].shape


@program(backend="cudagraphs", device="cuda")
def gpu_backend_cudagraphs():
    "The backend cudagraphs, which has no Inductor in it."
    return three_times(compiled(lambda x: x.exp() - 1), normal(8))


@program(index="CUDA graph", **GPU)
def gpu_cuda_graph_of_a_users_kernel():
    "A kernel of the user's in a CUDA graph."
    from .triton_kernels import scaled

    return three_times(torch.compile(lambda x: scaled(x, 2.0) + 1, mode="reduce-overhead"), normal(100))


# ---- devices, streams, breaks


@program(index="x is on cuda; x is on cpu now", **GPU)
def gpu_another_device():
    "The same function on the GPU, on the CPU, and with one tensor on each."
    f = compiled(lambda x, y: x * 2 + y)
    cpu, there = torch.ones(8), torch.ones(8, device="cuda")
    return [call(f, *each) for each in ((there, there), (cpu, cpu), (there, torch.tensor(2.0)), (there, there))]


@program(**GPU)
def gpu_device_in_code():
    "Code that looks at devices."
    device = torch.device("cuda")

    def f(x, device):
        if x.is_cuda and x.device.type == "cuda" and torch.cuda.is_available():
            x = x.to(device) + torch.arange(8, device=x.device)
        return x + torch.zeros(8, device=device)

    f = compiled(f)
    return call(f, normal(8), device), call(f, normal(8), torch.device("cuda:0"))


@program(**GPU)
def gpu_streams():
    "A side stream, events and a synchronisation."
    side = torch.cuda.Stream()

    def f(x):
        y = x * 2
        with torch.cuda.stream(side):
            z = y + 1
        torch.cuda.current_stream().wait_stream(side)
        return z.sin()

    return compiled(f)(normal(8))


@program(backend="eager", device="cuda")
def gpu_events():
    "Events around a computation, and the time between them."
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)

    def f(x):
        start.record()
        y = x.sin()
        end.record()
        torch.cuda.synchronize()
        return y, start.elapsed_time(end) >= 0

    return compiled(f)(normal(8))


@program(**GPU)
def gpu_breaks():
    "item(), nonzero(), cpu() and a branch on data."

    def f(x):
        if x.sum() > 0:
            x = x * x.max().item()
        where = x.nonzero()
        return where.cpu().float() + 1

    f = compiled(f)
    return call(f, torch.ones(4, device="cuda")), call(f, -torch.ones(4, device="cuda"))


@program(**GPU)
def gpu_module_moved():
    "A module that is moved to the GPU after it was compiled."
    model = nn.Linear(4, 2)
    f = compiled(model)
    before = f(torch.ones(1, 4)).shape
    model.cuda()
    return before, f(torch.ones(1, 4, device="cuda")).shape


@program(**GPU)
def gpu_half_precision():
    "float16, bfloat16, and 8 bits."

    def f(x, y):
        z = x.to(torch.float8_e4m3fn).to(torch.float32)
        return z + y.float(), (x * 2).to(torch.bfloat16)

    return call(compiled(f), normal(64, dtype=torch.float16), normal(64, dtype=torch.bfloat16))


@program(watch="debug", backend="eager", device="cuda")
def gpu_debugged():
    "depyf.debug() on the GPU."

    def f(x, y):
        z = x.sin()
        if z.sum() > 1000:
            z = z + 1
        return z * y

    return call(compiled(f), normal(8), normal(8))


@program(new_process=True, **GPU)
def gpu_out_of_the_cache():
    "Inductor's caches on: the second compilation loads what the first left there."
    from torch._inductor import config

    def f(x):
        y = x.sin() + 1
        return y.sum(-1)

    found = []
    with tempfile.TemporaryDirectory() as folder, config.patch(fx_graph_cache=True):
        before = os.environ.get("TORCHINDUCTOR_CACHE_DIR")
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder
        try:
            for _ in range(2):
                torch._dynamo.reset()
                found.append(torch.compile(f)(torch.ones(4, 64, device="cuda")))
        finally:
            os.environ["TORCHINDUCTOR_CACHE_DIR"] = before or ""
    return found
