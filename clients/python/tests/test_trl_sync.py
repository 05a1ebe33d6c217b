"""TRL's shim for a trainer that awaits no function: OnlineDPO's reward functions, called as trl 1.0
and 1.16 call them, against the fake server (stand-ins of their trainers)."""

from __future__ import annotations

import asyncio
import inspect
import pickle
from typing import Any

import pytest
from fake_server import FakeServer, problem, sent, serving

from kritai import NoScore, Unauthorized
from kritai.shims.trl_dpo import kritai_reward, kritai_rewards


def call_as_online_dpo(rewards: list[Any], texts: list[str], **columns: Any) -> list[Any]:
    """experimental/online_dpo: both halves of a batch, one function after the other, over the same
    lists."""
    prompts = ["p", "q"] * 2
    given = {"completion_ids": [[1]] * 4, **columns}
    return [reward(prompts=prompts, completions=texts, **given) for reward in rewards]


def test_online_dpo_gets_numbers_from_a_plain_function_of_a_name(server: FakeServer) -> None:
    reward = kritai_reward(server.url, run_id="r")
    assert not inspect.iscoroutinefunction(reward)
    assert not inspect.iscoroutinefunction(reward.__call__)
    assert reward.__name__ == "kritai"
    assert call_as_online_dpo([reward], ["1", "2", "3", "4"]) == [[1.0, 2.0, 3.0, 4.0]]
    assert [[r["text"] for r in group["rollouts"]] for group in sent(server)["groups"]] == [["1", "3"], ["2", "4"]]


def test_it_pickles_after_use_and_answers_where_a_loop_runs_already(server: FakeServer) -> None:
    reward = kritai_reward(server.url)
    call_as_online_dpo([reward], ["1", "2", "3", "4"])
    again = pickle.loads(pickle.dumps(reward))

    async def in_a_notebook() -> Any:
        return call_as_online_dpo([again], ["1", "2", "3", "4"])

    assert asyncio.run(in_a_notebook()) == [[1.0, 2.0, 3.0, 4.0]]


def test_a_missing_reward_raises_for_it_would_be_zero_unless_a_number_is_named(server: FakeServer) -> None:
    texts = ["1", "none", "3", "4"]
    with pytest.raises(NoScore, match=r"1 of 4 .* verifier_rejected.* OnlineDPOTrainer would take that for 0\.0"):
        call_as_online_dpo([kritai_reward(server.url)], texts)
    assert call_as_online_dpo([kritai_reward(server.url, fallback=-2)], texts) == [[1.0, -2, 3.0, 4.0]]


def test_components_of_a_batch_are_one_request_and_a_part_of_a_pair_raises(server: FakeServer) -> None:
    functions = kritai_rewards(["base", "format"], server.url)
    assert [each.__name__ for each in functions] == ["base", "format"]
    assert call_as_online_dpo(functions, ["1", "2", "3", "4"]) == [[1.0, 2.0, 3.0, 4.0], [0.0] * 4]
    assert len(server.received) == 1
    with pytest.raises(ValueError, match="1 completions of a prompt, not 2"):
        functions[0](prompts=["p"], completions=["1"])


def test_a_wrong_key_raises_out_of_the_function() -> None:
    with serving(lambda request, number: problem(401, "unauthorized")) as server, pytest.raises(Unauthorized):
        call_as_online_dpo([kritai_reward(server.url)], ["1", "2", "3", "4"])
