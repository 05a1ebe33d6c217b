"""ROLL's reward worker by the shim, over stand-ins for ROLL's own classes (it is on no index; its
DataProto is verl's), against the running stack."""

from __future__ import annotations

import asyncio
import importlib
import sys
import types
from typing import Any

import numpy
import pytest
import torch
from fake_server import FakeServer, Reply, sent, serving
from tiny_policy import GROUP, PROMPTS, tokenizer

from kritai import NoScore
from kritai.gather import forget_shared

ABSENT = "verl is not installed: `bash clients/python/run-tests.sh --trainers` does"
pytest.importorskip("verl", reason=ABSENT)


def worker(monkeypatch: pytest.MonkeyPatch) -> Any:
    from verl import DataProto

    class Worker:
        def __init__(self, worker_config: Any) -> None:
            self.rank_info = types.SimpleNamespace(rank=0, world_size=1)

    def register(**how: Any) -> Any:
        return lambda method: method

    members: dict[str, dict[str, Any]] = {
        "roll.distributed.executor.worker": {"Worker": Worker},
        "roll.distributed.scheduler.decorator": {
            "Dispatch": types.SimpleNamespace(ONE_TO_ALL=1, DP_MP_COMPUTE=2),
            "register": register,
        },
        "roll.distributed.scheduler.protocol": {"DataProto": DataProto},
        "roll.models.model_providers": {
            "default_tokenizer_provider": lambda model_args: tokenizer([*PROMPTS, *GROUP, "none", "1", "22"])
        },
    }
    for name, held in members.items():
        parts = name.split(".")
        for at in range(1, len(parts) + 1):
            part = ".".join(parts[:at])
            monkeypatch.setitem(sys.modules, part, sys.modules.get(part) or types.ModuleType(part))
        for member, value in held.items():
            setattr(sys.modules[name], member, value)
    monkeypatch.delitem(sys.modules, "kritai.shims.roll_worker", raising=False)
    shim: Any = importlib.import_module("kritai.shims.roll_worker")
    return shim.KritaiRewardWorker(types.SimpleNamespace(model_args=None))


def called(made: Any, texts: list[str], step: int | None = 7) -> list[float]:
    """A call as ROLL's rollout loop makes it: prompts padded on the left, responses on the right."""
    from verl import DataProto

    words = made.tokenizer
    prompts = torch.tensor([[0, *words.encode(PROMPTS[0])]] * len(texts))
    responses = torch.tensor([[*words.encode(text), 0] for text in texts])
    mask = torch.tensor([[0, 1, 1, 0]] * len(texts))
    columns = {"ground_truth": "8", "tag": "math", "rollout_id": "r"}
    rows = {name: numpy.array([value] * len(texts), dtype=object) for name, value in columns.items()}
    meta: dict[str, Any] = {} if step is None else {"global_step": step}
    batch = {"prompts": prompts, "responses": responses, "attention_mask": mask}
    data = DataProto.from_dict(batch, non_tensors=rows, meta_info=meta)
    told: Any = asyncio.run(made.compute_rewards(data)).batch
    assert told["token_level_rewards"].shape == responses.shape
    assert told["scores"].tolist() == told["response_level_rewards"].tolist()
    return [*told["scores"].tolist()]


def test_a_prompts_responses_have_the_rewards_of_their_group(
    url: str, monkeypatch: pytest.MonkeyPatch, expected: list[float | None]
) -> None:
    monkeypatch.setenv("KRITAI_BASE_URL", url)
    assert called(worker(monkeypatch), GROUP) == expected


def test_texts_lengths_and_the_step_are_sent_and_a_missing_reward_raises_or_is_the_number_named(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = worker(monkeypatch)
    monkeypatch.setenv("KRITAI_RUN_ID", "roll-1")
    assert called(made, ["1", "22"]) == [1.0, 22.0]
    body = sent(server)
    assert (body["run_id"], body["step"]) == ("roll-1", 7)
    assert body["groups"][0]["prompt"] == PROMPTS[0]
    assert body["groups"][0]["rollouts"] == [{"text": text, "length_tokens": 1} for text in ("1", "22")]
    with pytest.raises(NoScore):
        called(made, ["none", "1"])
    monkeypatch.setenv("KRITAI_FALLBACK", "-1")
    assert called(made, ["none", "1"]) == [-1.0, 1.0]


def test_a_response_that_comes_alone_is_gathered_by_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    made = worker(monkeypatch)
    monkeypatch.setenv("KRITAI_GROUP_SIZE", "8")
    with serving(lambda request, number: Reply(body=0.5)) as single:
        monkeypatch.setenv("KRITAI_BASE_URL", single.url)
        forget_shared()
        assert called(made, ["1"]) == [0.5]
        assert called(made, ["22"], step=None) == [0.5]
    first, second = single.received
    assert first.path.startswith("/slime/reward?group_size=8&")
    assert ["log_step=7" in first.path, "log_step" in second.path] == [True, False]
    assert first.json == {"prompt": PROMPTS[0], "response": "1", "label": {"ground_truth": "8"}}
