"""OpenRLHF's own agent, which asks its remote reward model over HTTP, against the running stack's
/openrlhf/get_reward: a group that comes at once, and groups of which the last sample comes while
they are being asked about behind the gateway."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import packages
import pytest
from fake_server import Received, Reply, serving
from stack import running_gateway, running_stack
from tiny_policy import GROUP, PROGRAMS, PROMPTS, tokenizer

from kritai import Kritai

GROUPS, SIZE = 64, 8
PROBLEMS = [f"Problem {g}. Read n and print it {g} times." for g in range(GROUPS)]
SAMPLES = [[f"```python\nprint(input() * {g}, {r})\n```" for r in range(SIZE)] for g in range(GROUPS)]
SPEC: Any = {"reward": "strength"}


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


class Engine:
    """Draws its verdict from a hash of the whole question, so that other texts, or the same in another
    order, are another draw. Records which problems it was asked about."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.asked: dict[int, asyncio.Event] = defaultdict(asyncio.Event)

    def answer(self, request: Received, number: int) -> Reply:
        if request.method == "GET":
            return Reply(body={"object": "list", "data": [{"id": "scripted", "object": "model"}]})
        question = json.dumps(request.json["messages"])
        if (about := re.search(r"Problem (\d+)\.", question)) is not None:
            self.loop.call_soon_threadsafe(lambda: self.asked[int(about[1])].set())
        letter = "AB"[hashlib.sha256(question.encode()).digest()[0] % 2]
        message = {"role": "assistant", "content": f"\\boxed{{{letter}}}"}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return Reply(body={"id": "x", "choices": [choice], "usage": {"prompt_tokens": 5, "completion_tokens": 3}})


def test_samples_asked_about_before_the_last_has_come_get_the_rewards_of_the_whole_group(
    agent: Any, tmp_path: Path
) -> None:
    engine = Engine()
    words = tokenizer([*PROBLEMS, *(text for texts in SAMPLES for text in texts)])
    with (
        serving(engine.answer) as server,
        running_gateway(server.url) as gateway,
        running_stack(tmp_path, VERIFIER_URL=gateway, VERIFIER_PROTOCOL="verify") as url,
        Kritai(url) as client,
    ):
        client.put_spec("drawn", SPEC)
        reward_url = f"{url}/openrlhf/get_reward?group_size={SIZE}&spec=drawn&run_id=early"

        async def group(at: int) -> list[dict[str, Any]]:
            rows = [(PROBLEMS[at], text) for text in SAMPLES[at]]
            first = asyncio.create_task(packages.openrlhf_samples(agent, reward_url, rows[:-1], words))
            await engine.asked[at].wait()
            last = await packages.openrlhf_samples(agent, reward_url, rows[-1:], words)
            return [*await first, *last]

        async def step() -> list[list[dict[str, Any]]]:
            return list(await asyncio.gather(*map(group, range(GROUPS))))

        groups = engine.loop.run_until_complete(step())
        whole: list[Any] = [
            {"prompt": prompt, "rollouts": [{"text": text} for text in texts]}
            for prompt, texts in zip(PROBLEMS, SAMPLES, strict=True)
        ]
        expected = client.rewards(whole, spec="drawn").rewards
    engine.loop.close()
    assert [[sample["reward"] for sample in samples] for samples in groups] == [
        [[reward] for reward in rewards] for rewards in expected
    ]
    assert len({tuple(rewards) for rewards in expected}) > GROUPS // 2
    logged = [sample["extra_logs"] for samples in groups for sample in samples]
    assert {logs["rm_members"][0] for logs in logged} == {SIZE}
    assert min(logs["rm_early"][0] for logs in logged) > 0
