"""Whether `depyf.compare` leaves the models of public packages alone, compiled as their users compile them.

    python benchmarks/torch_compile/untouched_packages.py                  all, in eval
    python benchmarks/torch_compile/untouched_packages.py --train          with a backward
    python benchmarks/torch_compile/untouched_packages.py hf/ geometric/ --dtype bf16 --part 0/4

A word selects the models whose names have it; of packages that are not installed there are none. The models are of
transformers, timm, torchvision, diffusers and torch_geometric, small and with random weights. Each line is one run:
alarms, buffers and outputs that were checked. Exit status 1 if there is an alarm.
"""

# mypy: disable-error-code="misc"
from __future__ import annotations

import argparse
import importlib
import importlib.util
import sys
import tempfile
import time
import warnings
from typing import Any, Callable, Dict, List, Tuple

import torch
from torch import nn
from torch.utils._pytree import tree_leaves

import depyf

Made = Tuple[nn.Module, List[Any]]
MODELS: Dict[str, Callable[[], Made]] = {}
DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


def of_package(package: str, prefix: str, names: str, make: Callable[[Any, str], Made]) -> None:
    if importlib.util.find_spec(package):
        for name in names.split():
            MODELS[f"{prefix}/{name}"] = lambda name=name: make(importlib.import_module(package), name)


SIZES: Dict[str, Any] = {
    "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64, "vocab_size": 99,
    "max_position_embeddings": 64, "num_key_value_heads": 4, "pad_token_id": 0,
}  # fmt: skip
MORE: Dict[str, Dict[str, Any]] = {
    "GPTNeo": {"attention_types": [[["global", "local"], 1]], "num_layers": 2, "num_heads": 4},
    "Glm": {"head_dim": 8}, "MobileBert": {"intra_bottleneck_size": 32, "embedding_size": 32},
    "Mamba2": {"num_heads": 8, "head_dim": 8, "n_groups": 1, "state_size": 8},
    "OPT": {"ffn_dim": 64, "word_embed_proj_dim": 32}, "SqueezeBert": {"embedding_size": 32},
}  # fmt: skip


def of_transformers(package: Any, name: str) -> Made:
    config = getattr(package, f"{name}Config")(**{**SIZES, **MORE.get(name, {})})
    return getattr(package, f"{name}Model")(config), [torch.randint(1, 99, (2, 12))]


def of_timm(package: Any, name: str) -> Made:
    sized = {"img_size": 64} if any(word in name for word in ("vit", "mixer", "mlp", "cait")) else {}
    return package.create_model(name, pretrained=False, **sized), [torch.randn(2, 3, 64, 64)]


def of_torchvision(package: Any, name: str) -> Made:
    return getattr(package.models, name)(weights=None), [torch.randn(2, 3, 96, 96)]


def of_geometric(package: Any, name: str) -> Made:
    layers = importlib.import_module("torch_geometric.nn")
    edges = torch.randint(0, 20, (2, 60))
    more: Dict[str, List[Any]] = {"ChebConv": [3], "PNAConv": [["mean", "max", "std"], ["identity", "amplification"]]}
    degrees = {"deg": torch.tensor([1, 3, 5])} if name == "PNAConv" else {}

    def layer() -> Any:
        if name == "GINConv":
            return layers.GINConv(nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 8)))
        return getattr(layers, name)(8, 8, *more.get(name, []), **degrees)

    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = layer(), layer()

        def forward(self, x: Any) -> Any:
            return self.second(self.first(x, edges).relu(), edges).log_softmax(-1)

    return Network(), [torch.randn(20, 8)]


def of_diffusers(package: Any, name: str) -> Made:
    few: Dict[str, Any] = {"block_out_channels": (16, 32), "norm_num_groups": 8, "layers_per_block": 1}
    x, step = torch.randn(1, 3, 16, 16), torch.tensor([5])
    if name == "UNet2DModel":
        few.update(down_block_types=("DownBlock2D", "AttnDownBlock2D"), up_block_types=("AttnUpBlock2D", "UpBlock2D"))
        return package.UNet2DModel(sample_size=16, in_channels=3, out_channels=3, **few), [x, step]
    if name == "AutoencoderKL":
        few.update(down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2)
        return package.AutoencoderKL(latent_channels=4, **few), [x]
    few["down_block_types"] = ("CrossAttnDownBlock2D", "DownBlock2D")
    few["up_block_types"] = ("UpBlock2D", "CrossAttnUpBlock2D")
    unet = package.UNet2DConditionModel(sample_size=16, cross_attention_dim=16, attention_head_dim=4, **few)
    return unet, [torch.randn(1, 4, 16, 16), step, torch.randn(1, 6, 16)]


of_package("transformers", "hf", """
    Albert Bert Bloom Cohere ConvBert DebertaV2 DistilBert Electra Ernie FNet Falcon GPT2 GPTNeo GPTNeoX Gemma Gemma2
    Glm Granite Llama MPNet Mamba Mamba2 Mistral Mixtral MobileBert Mpt Nystromformer OPT Olmo Olmo2 Persimmon Phi Phi3
    Qwen2 Qwen3 RoFormer Roberta Rwkv SqueezeBert StableLm Starcoder2 Yoso""", of_transformers)  # fmt: skip
of_package("timm", "timm", """
    starnet_s1 tinynet_e lcnet_050 mobilenetv3_small_050 ghostnet_050 mobileone_s0 resnet10t convnext_atto repvgg_a0
    edgenext_xx_small poolformer_s12 vit_tiny_patch16_224 mixer_s32_224 gmlp_s16_224""", of_timm)  # fmt: skip
of_package("torchvision", "torchvision", "squeezenet1_0 shufflenet_v2_x0_5 alexnet mobilenet_v2 resnet18 mnasnet0_5",
           of_torchvision)  # fmt: skip
of_package("torch_geometric", "geometric", """
    GCNConv GATConv SAGEConv GINConv TransformerConv GATv2Conv PNAConv ChebConv ARMAConv""", of_geometric)  # fmt: skip
of_package("diffusers", "diffusers", "UNet2DModel AutoencoderKL UNet2DConditionModel", of_diffusers)


def run(name: str, dtype: Any, training: bool) -> Any:
    """What is said of a model."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    module, inputs = MODELS[name]()
    module = module.to(dtype).train(training)
    inputs = [one.to(dtype) if one.is_floating_point() else one for one in inputs]
    with tempfile.TemporaryDirectory() as folder, depyf.compare(folder, repros=False) as report:
        with torch.set_grad_enabled(training):
            result = torch.compile(module)(*inputs)
        if training:
            leaves = tree_leaves(result.to_tuple() if hasattr(result, "to_tuple") else result)
            sum(one.float().square().mean() for one in leaves if getattr(one, "requires_grad", False)).backward()
    return report


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("words", nargs="*", metavar="WORD", help="models whose names have one of these words")
    parser.add_argument("--dtype", default="fp32", choices=list(DTYPES))
    parser.add_argument("--train", action="store_true", help="in training, with a backward")
    parser.add_argument("--part", default="0/1", metavar="N/COUNT", help="every COUNTth model, from the Nth on")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    first, step = map(int, options.part.split("/"))
    names = [name for name in MODELS if not options.words or any(word in name for word in options.words)][first::step]
    alarms, failed = 0, 0
    checked = [0, 0]
    for name in names:
        began = time.time()
        try:
            report = run(name, DTYPES[options.dtype], options.train)
        except Exception as error:
            failed += 1
            print(f"{name}: {type(error).__name__}: {str(error).splitlines()[0][:150]}", flush=True)
            continue
        alarms += len(report.findings)
        buffers = [sum(one.buffers[at] for one in report.verdicts) for at in (0, 1)]
        outputs = [sum(one.outputs[at] for one in report.verdicts) for at in (0, 1)]
        checked = [checked[at] + buffers[at] for at in (0, 1)]
        shares = f"{buffers[0]}/{buffers[1]} buffers, {outputs[0]}/{outputs[1]} outputs"
        print(f"{name}: {len(report.findings)} alarms; {shares}; {time.time() - began:.0f} s", flush=True)
        if report.findings:
            print("    " + str(report).replace("\n", "\n    "), flush=True)
    print(f"{alarms} alarms in {len(names) - failed} models, {checked[0]} of {checked[1]} buffers; {failed} failed")
    return 1 if alarms else 0


if __name__ == "__main__":
    sys.exit(main())
