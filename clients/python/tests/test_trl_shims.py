"""TRL's shims, one reward and one a component, called as its trainer calls them, against the fake
server."""

from __future__ import annotations

import asyncio
import inspect
import pickle
import time
import types
from typing import Any

import pytest
from fake_server import FakeServer, problem, sent, serving

from kritai import Unauthorized, shared_call
from kritai.shims.trl_reward import kritai_reward, kritai_rewards

# --- TRL


def call_as_trl(reward: Any, **more: Any) -> list[float | None]:
    """grpo_trainer._calculate_rewards: everything by keyword, columns as lists."""
    prompts = [[{"role": "user", "content": "p"}]] * 2 + ["q", "q"]
    completions = [[{"role": "assistant", "content": "1"}], [{"role": "assistant", "content": "none"}], "3", "4"]
    given = {"completion_ids": [[1], [1, 2], [3], [4]], "answer": ["a"] * 4, "pass_rate": [0.5, None, 1, 0], **more}
    result: list[float | None] = asyncio.run(reward(prompts=prompts, completions=completions, **given))
    return result


def test_trl_gets_one_reward_a_row_and_none_for_no_score(server: FakeServer) -> None:
    reward = kritai_reward(server.url, run_id="r", language="python")
    assert call_as_trl(reward, trainer_state=types.SimpleNamespace(global_step=7)) == [1.0, None, 3.0, 4.0]
    body = sent(server)
    assert (body["run_id"], body["step"], body["spec"]) == ("r", 7, "default")
    assert body["groups"][0]["prompt"] == [{"role": "user", "content": "p"}]
    assert body["groups"][0]["language"] == "python"
    assert body["groups"][0]["rollouts"][1] == {"text": "none", "length_tokens": 2}
    assert body["groups"][1]["rollouts"][0] == {"text": "3", "length_tokens": 1, "pass_rate": 1.0}


def test_trl_takes_it_for_async_pickles_it_and_can_name_it(server: FakeServer) -> None:
    reward = kritai_reward(server.url, spec={"reward": "wins"})
    again = pickle.loads(pickle.dumps(reward))
    assert inspect.iscoroutinefunction(again)
    assert again.__name__ == "kritai"
    assert call_as_trl(again) == [1.0, None, 3.0, 4.0]
    assert sent(server)["spec"] == {"reward": "wins"}


def test_trl_metrics_and_columns_are_fed_with_constant_keys(server: FakeServer) -> None:
    metrics: dict[str, float] = {}
    columns: dict[str, list[Any]] = {}
    call_as_trl(kritai_reward(server.url), log_metric=metrics.__setitem__, log_extra=columns.__setitem__)
    assert metrics == {"kritai/no_score": 0.25, "kritai/malformed": 0.0, "kritai/unparsed": 0.5}
    assert columns == {"kritai_error": [None, "verifier_rejected", None, None], "kritai_rank": [1, 1, 1, 1]}


def test_trl_skips_rows_that_no_server_could_score_but_a_wrong_key_stops_it() -> None:
    reward = kritai_reward("http://127.0.0.1:9", timeout_s=1)
    assert call_as_trl(reward) == [None] * 4
    with serving(lambda request, number: problem(401, "unauthorized")) as server, pytest.raises(Unauthorized):
        call_as_trl(kritai_reward(server.url))


def test_trl_a_batch_of_1024_costs_the_client_less_than_a_millisecond_a_rollout(server: FakeServer) -> None:
    rows = range(1024)
    columns: dict[str, Any] = {"prompts": [f"p{row // 16}" for row in rows], "completions": [str(row) for row in rows]}
    started = time.process_time()  # not the clock: other processes may want the processor too
    result = asyncio.run(kritai_reward(server.url)(**columns, completion_ids=[list(range(8000))] * 1024))
    assert time.process_time() - started < 1.024
    assert result == [float(row) for row in rows]


# --- TRL, one function a component


async def call_all(rewards: list[Any], texts: list[str], **given: Any) -> list[list[float | None]]:
    """As TRL does it: every function at once, over the very same lists."""
    prompts, completions = ["p"] * len(texts), list(texts)
    asked = [reward(prompts=prompts, completions=completions, **given) for reward in rewards]
    return list(await asyncio.gather(*asked))


def test_trl_components_are_functions_of_their_names_that_share_one_request_a_batch(server: FakeServer) -> None:
    rewards = [pickle.loads(pickle.dumps(reward)) for reward in kritai_rewards(["base", "format"], server.url)]
    assert [reward.__name__ for reward in rewards] == ["base", "format"]
    assert all(inspect.iscoroutinefunction(reward) for reward in rewards)
    for batch in range(3):
        assert asyncio.run(call_all(rewards, ["1", "none"])) == [[1.0, None], [0.0, 0.0]]
        assert len(server.received) == batch + 1


def test_trl_components_of_batches_side_by_side_are_each_their_own(server: FakeServer) -> None:
    rewards = kritai_rewards(["base", "format", "overlong"], server.url)

    async def side_by_side() -> list[list[list[float | None]]]:
        return list(await asyncio.gather(*(call_all(rewards, [str(batch)]) for batch in range(100))))

    assert asyncio.run(side_by_side()) == [[[float(batch)], [0.0], [0.0]] for batch in range(100)]
    assert not shared_call._calls


def test_trl_components_feed_the_loggers_once_a_batch(server: FakeServer) -> None:
    columns: list[tuple[str, int]] = []
    rewards = kritai_rewards(["base", "format"], server.url)
    asyncio.run(call_all(rewards, ["1", "2"], log_extra=lambda name, values: columns.append((name, len(values)))))
    assert columns == [("kritai_error", 2), ("kritai_rank", 2)]


def test_trl_a_group_that_was_never_answered_has_no_component_at_all() -> None:
    rewards = kritai_rewards(["base", "format"], "http://127.0.0.1:9", timeout_s=1)
    assert asyncio.run(call_all(rewards, ["1", "2"])) == [[None, None], [None, None]]


def test_trl_a_component_that_the_spec_does_not_have_raises_and_names_those_it_has(server: FakeServer) -> None:
    with pytest.raises(ValueError, match="no component 'quality'; there are base, format, overlong"):
        asyncio.run(call_all(kritai_rewards(["quality"], server.url), ["1"]))


def test_trl_a_function_that_nobody_asks_again_does_not_keep_its_batches(server: FakeServer) -> None:
    [reward, _] = kritai_rewards(["base", "format"], server.url)
    for batch in range(shared_call.CALLS_MAX + 5):
        asyncio.run(call_all([reward], [str(batch)]))
    assert len(shared_call._calls) <= shared_call.CALLS_MAX
