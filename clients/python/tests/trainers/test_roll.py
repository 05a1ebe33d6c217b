"""ROLL's reward worker by the shim, over stand-ins for ROLL's own classes, against the running
stack."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from fake_server import FakeServer, Reply, sent, serving
from tiny_policy import GROUP, PROMPTS, tokenizer

from kritai import NoScore
from kritai.gather import forget_shared

pytest.importorskip("verl", reason="verl is not installed: `bash clients/python/run-tests.sh --trainers` does")
roll: Any = pytest.importorskip("roll_stand_in")


def worker() -> Any:
    return roll.worker(tokenizer([*PROMPTS, *GROUP, "none", "1", "22"]))


def called(made: Any, texts: list[str], step: int | None = 7) -> list[float]:
    return [*asyncio.run(roll.rewards(made, PROMPTS[0], texts, step))]


def test_a_prompts_responses_have_the_rewards_of_their_group(
    url: str, monkeypatch: pytest.MonkeyPatch, expected: list[float | None]
) -> None:
    monkeypatch.setenv("KRITAI_BASE_URL", url)
    assert called(worker(), GROUP) == expected


def test_texts_lengths_and_the_step_are_sent_and_a_missing_reward_raises_or_is_the_number_named(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = worker()
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
    made = worker()
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
