"""OpenRLHF's own agent, which asks its remote reward model over HTTP, against the running stack's
/openrlhf/get_reward."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import sys
import types
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tiny_policy import GROUP, PROGRAMS, PROMPTS, tokenizer


@pytest.fixture(scope="module")
def agent() -> Any:
    """openrlhf.utils.agent alone: what its package imports besides needs a GPU."""
    found = importlib.util.find_spec("openrlhf")
    assert found is not None
    assert found.origin is not None
    for name, folder in (("openrlhf", ""), ("openrlhf.utils", "utils")):
        package = types.ModuleType(name)
        package.__path__ = [str(Path(found.origin).parent / folder)]
        sys.modules[name] = package
    return importlib.import_module("openrlhf.utils.agent")


class Engine:
    """Generates the one program that it was made for."""

    def __init__(self, token: int) -> None:
        self._token = token

    async def generate(self, prompt: object, params: object, **more: object) -> Any:
        return SimpleNamespace(outputs=[SimpleNamespace(token_ids=[self._token], finish_reason="stop", logprobs=None)])


def executed(agent: Any, reward_url: str, programs: list[str]) -> list[dict[str, Any]]:
    """The samples as an experience maker gets them: generated and rewarded side by side."""
    words = tokenizer()
    params = SimpleNamespace(max_tokens=1, logprobs=None)

    async def run() -> list[dict[str, Any]]:
        executor = agent.SingleTurnAgentExecutor(reward_url)
        engines = [Engine(words.encode(program)[0]) for program in programs]
        samples = [executor.execute(PROMPTS[0], "8", params, 64, words, engine) for engine in engines]
        return list(await asyncio.gather(*samples))

    return asyncio.run(run())


def test_each_sample_gets_the_reward_of_its_group_and_a_score_in_0_to_1(
    agent: Any, url: str, expected: list[float | None]
) -> None:
    samples = executed(agent, f"{url}/openrlhf/get_reward?group_size={len(GROUP)}", GROUP)
    assert [sample["reward"] for sample in samples] == [[reward] for reward in expected]
    assert all(0 <= sample["scores"][0] <= 1 for sample in samples)
    assert len({frozenset(sample["extra_logs"]) for sample in samples}) == 1


def test_what_it_logs_is_what_its_tensors_take(agent: Any, url: str) -> None:
    import torch

    [sample] = executed(agent, f"{url}/openrlhf/get_reward?group_size=1&on_failure=-1", [PROGRAMS[1]])
    assert (sample["reward"], sample["extra_logs"]["rm_fallback"]) == ([-1], [1])
    logged = {name: torch.tensor([value]) for name, value in sample["extra_logs"].items()}
    assert {tensor.dtype for tensor in logged.values()} <= {torch.int64, torch.float32}
