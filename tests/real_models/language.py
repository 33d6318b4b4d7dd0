"""Language models of Hugging Face's transformers, with a few small layers each."""

from __future__ import annotations

import torch

from .suite import model, numbers

__all__ = []

SMALL = {"vocab_size": 99, "hidden_size": 32, "intermediate_size": 37, "num_hidden_layers": 2,
         "num_attention_heads": 4, "max_position_embeddings": 64}  # fmt: skip


def tiny_gpt2(layers=2):
    from transformers import GPT2Config, GPT2LMHeadModel

    return GPT2LMHeadModel(GPT2Config(vocab_size=99, n_positions=64, n_embd=32, n_layer=layers, n_head=4,
                                      bos_token_id=1, eos_token_id=2))  # fmt: skip


@model("transformers")
def bert(compiled):
    """BERT for masked words: with labels, with an attention mask, and a longer sentence."""
    from transformers import BertConfig, BertForMaskedLM

    network = compiled(BertForMaskedLM(BertConfig(**SMALL)).eval())

    def calls():
        words = numbers(2, 6)
        mask = torch.ones(2, 6, dtype=torch.long)
        mask[0, 4:] = 0
        return [network(input_ids=words, labels=words), network(input_ids=words, attention_mask=mask),
                network(input_ids=numbers(2, 9))]  # fmt: skip

    return calls


@model("transformers")
def gpt2_loss(compiled):
    """GPT2: forward with labels, with and without a cache, in two lengths."""
    network = compiled(tiny_gpt2().eval())

    def calls():
        found = []
        for length in (6, 8):
            words = numbers(2, length)
            result = network(input_ids=words, labels=words)
            found.append((result.loss, result.logits))
        return found, network(input_ids=numbers(2, 6), use_cache=False).logits

    return calls


@model("transformers")
def gpt2_24_layers(compiled):
    """GPT2 with 24 layers: one forward pass."""
    network = compiled(tiny_gpt2(24).eval())

    def calls():
        with torch.no_grad():
            return network(input_ids=numbers(2, 6), use_cache=False).logits

    return calls


@model("transformers")
def gpt2_generate(compiled):
    """GPT2 generates: `generate` of a model whose forward is compiled, with a cache that grows."""
    network = tiny_gpt2().eval()
    network.forward = compiled(network.forward)
    return lambda: network.generate(numbers(1, 4), max_new_tokens=6, do_sample=False, pad_token_id=2)


@model("transformers")
def gpt2_training(compiled):
    """GPT2 is trained: two steps with dropout off, backward, clipped gradients, AdamW."""
    network = tiny_gpt2().train()
    for one in network.modules():
        if isinstance(one, torch.nn.Dropout):
            one.p = 0.0
    adam = torch.optim.AdamW(network.parameters(), lr=1e-3)
    run = compiled(network)

    def calls():
        losses = []
        for _ in range(2):
            words = numbers(2, 8)
            loss = run(input_ids=words, labels=words).loss
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            adam.step()
            adam.zero_grad()
            losses.append(loss.detach())
        return losses, list(network.parameters())

    return calls


@model("transformers")
def llama(compiled):
    """Llama with grouped attention: a prompt, and one more word with the cache of the first call."""
    from transformers import LlamaConfig, LlamaForCausalLM

    network = compiled(LlamaForCausalLM(LlamaConfig(**SMALL, num_key_value_heads=2)).eval())

    def calls():
        with torch.no_grad():
            first = network(input_ids=numbers(1, 5), use_cache=True)
            second = network(input_ids=numbers(1, 1), past_key_values=first.past_key_values, use_cache=True)
        return first.logits, second.logits

    return calls


@model("transformers")
def t5(compiled):
    """T5: encoder and decoder, with labels."""
    from transformers import T5Config, T5ForConditionalGeneration

    network = T5ForConditionalGeneration(T5Config(vocab_size=99, d_model=32, d_kv=8, d_ff=37, num_layers=2,
                                                  num_heads=4, decoder_start_token_id=0)).eval()  # fmt: skip
    run = compiled(network)

    def calls():
        result = run(input_ids=numbers(2, 7), labels=numbers(2, 5))
        return result.loss, result.logits

    return calls


@model("transformers")
def mixtral(compiled):
    """Mixtral: a mixture of four experts, whose choice depends on the data."""
    from transformers import MixtralConfig, MixtralForCausalLM

    network = compiled(MixtralForCausalLM(MixtralConfig(
        **SMALL, num_key_value_heads=2, num_local_experts=4, num_experts_per_tok=2)).eval())  # fmt: skip

    def calls():
        with torch.no_grad():
            return [network(input_ids=numbers(2, length), output_router_logits=True).logits for length in (6, 7)]

    return calls
