"""Models of images and of speech: transformers, timm, torchvision, diffusers."""

from __future__ import annotations

import torch

from .suite import model, numbers

__all__ = []


@model("transformers")
def whisper(compiled):
    """Whisper: speech to words, with labels."""
    from transformers import WhisperConfig, WhisperForConditionalGeneration

    network = WhisperForConditionalGeneration(WhisperConfig(
        vocab_size=99, d_model=16, encoder_layers=2, decoder_layers=2, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=32, decoder_ffn_dim=32, max_source_positions=30,
        max_target_positions=20, num_mel_bins=8, pad_token_id=0, bos_token_id=1, eos_token_id=2,
        decoder_start_token_id=1)).eval()  # fmt: skip
    run = compiled(network)

    def calls():
        result = run(input_features=torch.randn(2, 8, 60), labels=numbers(2, 5))
        return result.loss, result.logits

    return calls


@model("transformers")
def wav2vec2(compiled):
    """wav2vec 2.0: speech to letters, with labels, at two lengths."""
    from transformers import Wav2Vec2Config, Wav2Vec2ForCTC

    network = Wav2Vec2ForCTC(Wav2Vec2Config(
        vocab_size=20, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
        conv_dim=(16, 16), conv_stride=(5, 2), conv_kernel=(10, 3), num_conv_pos_embeddings=8,
        num_conv_pos_embedding_groups=2, num_feat_extract_layers=2)).eval()  # fmt: skip
    run = compiled(network)

    def calls():
        found = [run(torch.randn(2, length), labels=numbers(2, 5, below=20)) for length in (400, 500)]
        return [(one.loss, one.logits) for one in found]

    return calls


@model("transformers")
def vit(compiled):
    """ViT: images to classes, at two sizes of a batch."""
    from transformers import ViTConfig, ViTForImageClassification

    network = compiled(ViTForImageClassification(ViTConfig(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=37, image_size=16,
        patch_size=4, num_labels=3)).eval())  # fmt: skip

    def calls():
        found = [network(pixel_values=torch.randn(size, 3, 16, 16), labels=torch.zeros(size, dtype=torch.long))
                 for size in (2, 3)]  # fmt: skip
        return [(one.loss, one.logits) for one in found]

    return calls


@model("timm")
def timm_resnet(compiled):
    """A ResNet of timm: in training, then in evaluation."""
    import timm

    network = timm.create_model("resnet10t", num_classes=7)
    run = compiled(network)

    def calls():
        images = torch.randn(2, 3, 64, 64)
        first = run(images)
        first.sum().backward()
        network.eval()
        with torch.no_grad():
            return first, run(images)

    return calls


@model("timm")
def timm_convnext(compiled):
    """A ConvNeXt of timm."""
    import timm

    network = compiled(timm.create_model("convnext_atto", num_classes=7, depths=(1, 1, 2, 1), dims=(8, 16, 24, 32)))
    return lambda: network(torch.randn(2, 3, 64, 64))


@model("torchvision")
def torchvision_resnet(compiled):
    """The ResNet-18 of torchvision, in evaluation."""
    import torchvision

    network = compiled(torchvision.models.resnet18(num_classes=7).eval())

    def calls():
        with torch.no_grad():
            return network(torch.randn(2, 3, 64, 64))

    return calls


@model("torchvision")
def torchvision_detection(compiled):
    """A detector of torchvision: lists of images of different sizes, non-maximum suppression, dictionaries."""
    import torchvision

    network = torchvision.models.detection.ssdlite320_mobilenet_v3_large(
        weights=None, weights_backbone=None, num_classes=4).eval()  # fmt: skip
    run = compiled(network)

    def calls():
        with torch.no_grad():
            return run([torch.rand(3, 50, 60), torch.rand(3, 40, 40)])

    return calls


@model("diffusers")
def diffusers_unet(compiled):
    """The U-Net of a latent diffusion model: two steps with a scheduler between them."""
    from diffusers import DDPMScheduler, UNet2DConditionModel

    network = compiled(UNet2DConditionModel(
        sample_size=8, block_out_channels=(8, 16), layers_per_block=1, norm_num_groups=4, cross_attention_dim=8,
        attention_head_dim=2, down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "CrossAttnUpBlock2D")).eval())  # fmt: skip
    scheduler = DDPMScheduler(num_train_timesteps=10)

    def calls():
        sample, words = torch.randn(1, 4, 8, 8), torch.randn(1, 3, 8)
        scheduler.set_timesteps(2)
        with torch.no_grad():
            for timestep in scheduler.timesteps:
                noise = network(sample, timestep, encoder_hidden_states=words).sample
                sample = scheduler.step(noise, timestep, sample).prev_sample
        return sample

    return calls
