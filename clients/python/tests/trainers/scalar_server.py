"""A scalar reward model made on the spot, with random weights, behind vLLM's `/classify`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from fake_server import Received, Reply, serving


def scorer() -> Callable[[str], float]:
    """One number a text, of its bytes."""
    import torch
    from transformers import LlamaConfig, LlamaForSequenceClassification

    torch.manual_seed(20261122)
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = LlamaConfig(vocab_size=257, num_labels=1, pad_token_id=256, **sizes)
    head = LlamaForSequenceClassification(config).eval()
    with torch.no_grad():
        head.score.weight.mul_(20)

    def score(text: str) -> float:
        with torch.no_grad():
            return float(head(torch.tensor([list(text.encode())])).logits[0, 0])

    return score


@contextmanager
def scalar_model() -> Iterator[tuple[str, Callable[[str], float]]]:
    """Its server's base URL, and the model itself."""
    score = scorer()

    def answer(request: Received, _: int) -> Reply:
        if request.method == "GET":
            return Reply(404)
        data: list[dict[str, Any]] = [
            {"index": at, "label": "reward", "probs": [score(text)]} for at, text in enumerate(request.json["input"])
        ]
        return Reply(body={"object": "list", "model": "rm", "data": data, "usage": {"prompt_tokens": 1}})

    with serving(answer) as server:
        yield server.url, score
