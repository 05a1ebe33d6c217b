"""Stand-ins for what ROLL's reward workers are made of (it is on no index; its DataProto is verl's),
and a call as its pipeline makes it."""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any

import numpy
import torch
from drive_shims import stand_in


def worker(words: Any) -> Any:
    """The shim's worker over stand-ins for ROLL's own classes, with this tokenizer."""
    from verl import DataProto

    class Worker:
        def __init__(self, worker_config: Any) -> None:
            self.rank_info = types.SimpleNamespace(rank=0, world_size=1)

    def register(**how: Any) -> Any:
        return lambda method: method

    dispatch = types.SimpleNamespace(ONE_TO_ALL=1, DP_MP_COMPUTE=2)
    stand_in("roll.distributed.executor.worker", Worker=Worker)
    stand_in("roll.distributed.scheduler.decorator", Dispatch=dispatch, register=register)
    stand_in("roll.distributed.scheduler.protocol", DataProto=DataProto)
    stand_in("roll.models.model_providers", default_tokenizer_provider=lambda model_args: words)
    sys.modules.pop("kritai.shims.roll_worker", None)
    shim: Any = importlib.import_module("kritai.shims.roll_worker")
    return shim.KritaiRewardWorker(types.SimpleNamespace(model_args=None))


async def rewards(made: Any, prompt: str, texts: list[str], step: int | None = 7) -> list[float]:
    """A call as ROLL's rollout loop makes it: prompts padded on the left, responses on the right."""
    from verl import DataProto

    words = made.tokenizer
    prompts = torch.tensor([[0, *words.encode(prompt)]] * len(texts))
    responses = torch.tensor([[*words.encode(text), 0] for text in texts])
    mask = torch.tensor([[0, 1, 1, 0]] * len(texts))
    columns = {"ground_truth": "8", "tag": "math", "rollout_id": "r"}
    rows = {name: numpy.array([value] * len(texts), dtype=object) for name, value in columns.items()}
    meta: dict[str, Any] = {} if step is None else {"global_step": step}
    batch = {"prompts": prompts, "responses": responses, "attention_mask": mask}
    told: Any = (await made.compute_rewards(DataProto.from_dict(batch, non_tensors=rows, meta_info=meta))).batch
    assert told["token_level_rewards"].shape == responses.shape
    assert told["scores"].tolist() == told["response_level_rewards"].tolist()
    return [*told["scores"].tolist()]
