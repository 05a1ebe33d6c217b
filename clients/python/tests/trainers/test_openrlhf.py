"""OpenRLHF's own agent, which asks its remote reward model over HTTP, against the running stack's
/openrlhf/get_reward."""

from __future__ import annotations

import asyncio
from typing import Any

import packages
import pytest
from tiny_policy import GROUP, PROGRAMS, PROMPTS, tokenizer


@pytest.fixture(scope="module")
def agent() -> Any:
    return packages.openrlhf_agent()


def executed(agent: Any, reward_url: str, programs: list[str]) -> list[dict[str, Any]]:
    rows = [(PROMPTS[0], program) for program in programs]
    return asyncio.run(packages.openrlhf_samples(agent, reward_url, rows, tokenizer()))


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
