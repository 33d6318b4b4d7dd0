"""GPT-2 with two layers, random weights, that generates."""

import torch
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(0)
model = GPT2LMHeadModel(GPT2Config(n_layer=2, n_embd=64, n_head=2, vocab_size=100, bos_token_id=0, eos_token_id=99))
model.eval()
model.forward = torch.compile(model.forward)

prompt = torch.randint(0, 99, (1, 5))
print(model.generate(prompt, max_new_tokens=6, do_sample=False, pad_token_id=99).shape)
# explain: print(torch._dynamo.explain(model.forward)(prompt))
