"""A policy made on the spot: a vocabulary of whole prompts and programs, and a model with random
weights."""

from __future__ import annotations

from typing import Any

PROMPTS = [
    f"Read n and print n times {k}.\n\nSample Input 1\n```\n4\n```\nSample Output 1\n```\n{4 * k}\n```" for k in (2, 3)
]
PROGRAMS = [f"```python\nprint(int(input()) {how})\n```" for how in ("* 2", "+ 4", "* 3", "+ 8", "- 1", "* 5")]
GROUP = [PROGRAMS[0], PROGRAMS[4], "<eos>"]
"""Samples of the first prompt: a right program, a wrong one, and none."""


def tokenizer(texts: list[str] = [*PROMPTS, *PROGRAMS]) -> Any:  # noqa: B006
    """Every prompt and every program is one token, so that a random model writes programs."""
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    words = ["<pad>", "<eos>", "<unk>", *texts]
    level = Tokenizer(models.WordLevel({word: at for at, word in enumerate(words)}, unk_token="<unk>"))
    return PreTrainedTokenizerFast(tokenizer_object=level, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>")


def model(vocabulary: int) -> Any:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    return LlamaForCausalLM(LlamaConfig(vocab_size=vocabulary, pad_token_id=0, eos_token_id=1, bos_token_id=1, **sizes))
