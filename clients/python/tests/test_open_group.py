"""A group whose rollouts are added as they come: what is sent, and whose position is whose."""

from __future__ import annotations

import asyncio
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fake_groups import Groups
from fake_server import Received, Reply, sent, serving

from kritai import AsyncKritai, AsyncOpenGroup, InvalidRequest, Kritai, KritaiWarning, Rewards
from kritai.too_long import HEAD_CHARS


def test_each_rollout_is_sent_at_once_with_the_groups_facts_and_its_position() -> None:
    with serving(Groups()) as server, Kritai(server.url) as client:
        facts: Any = {
            "language": "python",
            "reference": "4",
            "rubric": [{"text": "short", "points": 1}],
        }
        group = client.group("p", size=2, spec="s", run_id="r", step=0, deadline_ms=9_000, **facts)
        assert server.received == []
        first = group.add("0.5")
        second = group.add({"messages": [{"role": "assistant", "content": "2"}], "length_tokens": 7})
        result = group.rewards()
    assert [first["members"], first["state"], second["members"], second["state"]] == [1, "gathering", 2, "judging"]
    assert (first["group_id"], first["size"]) == (group.id, 2)
    said = {"prompt": "p", "size": 2, "spec": "s", "run_id": "r", "step": 0, "deadline_ms": 9_000, **facts}
    assert sent(server, 0) == {**said, "position": 0, "rollouts": [{"text": "0.5"}]}
    agent = {"messages": [{"role": "assistant", "content": "2"}], "length_tokens": 7}
    assert sent(server, 1) == {**said, "position": 1, "rollouts": [agent]}
    assert sent(server, 2) == {"deadline_ms": 9_000}
    paths = [(request.method, request.path) for request in server.received]
    assert paths == [("POST", f"/v1/groups/{group.id}/{verb}") for verb in ("rollouts", "rollouts", "close")]
    assert (result.rewards, result.request_ids) == ([[0.5, 2.0]], ["01G"])
    assert (result.groups[0]["positions"], result.groups[0]["early"]) == ([0, 1], 3)
    assert result.metrics["reward_mean"] == 9, "one reply's metrics are as they came"


def test_what_is_not_said_is_not_sent_and_each_group_has_an_id_of_its_own() -> None:
    with serving(Groups()) as server, Kritai(server.url) as client:
        groups = [client.group("p", size=None, run_id=None), client.group("p"), client.group("p", group_id="step-1:7")]
        for group in groups:
            group.add("1")
    assert sent(server) == {
        "prompt": "p",
        "spec": "default",
        "deadline_ms": 120_000,
        "position": 0,
        "rollouts": [{"text": "1"}],
    }
    assert len({group.id for group in groups}) == 3
    assert server.received[2].path == "/v1/groups/step-1:7/rollouts"


def test_adds_under_way_at_the_same_time_have_the_positions_of_their_calls() -> None:
    groups, all_there = Groups(), threading.Barrier(8)

    def answer(request: Received, number: int) -> Reply | None:
        if request.path.endswith("/rollouts"):
            all_there.wait(60)
        return groups(request, number)

    async def run(url: str) -> Rewards:
        async with AsyncKritai(url) as client:
            group = client.group("p", size=8)
            await asyncio.gather(*(group.add(str(at)) for at in range(8)))
            return await group.rewards()

    with serving(answer) as server:
        result = asyncio.run(run(server.url))
    assert result.rewards == [[float(at) for at in range(8)]]
    assert result.groups[0]["positions"] == list(range(8))


def test_threads_that_add_at_once_take_no_position_twice() -> None:
    with serving(Groups()) as server, Kritai(server.url) as client, ThreadPoolExecutor(8) as pool:
        group = client.group("p")
        list(pool.map(group.add, map(str, range(32))))
        result = group.rewards()
    assert sorted(reward or 0.0 for reward in result.flat) == [float(at) for at in range(32)]
    assert result.groups[0]["positions"] == list(range(32))


def test_positions_that_are_given_are_kept_and_counted_on_from_and_the_rewards_are_in_their_order() -> None:
    with serving(Groups()) as server, Kritai(server.url) as client:
        group = client.group("p")
        group.add("5", position=5)
        group.add("2", position=2)
        group.add("6")
        result = group.rewards()
    assert (result.rewards, result.groups[0]["positions"]) == ([[2.0, 5.0, 6.0]], [2, 5, 6])


def test_two_handles_of_one_id_add_to_the_same_group() -> None:
    with serving(Groups()) as server, Kritai(server.url) as client:
        here = client.group("p", group_id="shared")
        there = pickle.loads(pickle.dumps(client.api)).group("p", group_id="shared")
        here.add("1", position=0)
        asyncio.run(there.add("2", position=1))
        assert here.rewards().rewards == [[1.0, 2.0]]


def test_asked_twice_it_is_the_same_and_warns_as_rewards_do() -> None:
    groups = Groups()
    groups.warnings = ["flat_groups"]
    with serving(groups) as server, Kritai(server.url) as client:
        group = client.group("p")
        group.add("1")
        with pytest.warns(KritaiWarning, match="flat_groups"):
            first = group.rewards()
        with pytest.warns(KritaiWarning, match="flat_groups"):
            assert group.rewards() == first
    assert first.warnings == ["flat_groups"]


def test_of_a_rollout_that_is_too_long_the_head_alone_travels_and_thinking_goes_on_demand() -> None:
    long = "x" * 600_000
    with serving(Groups()) as server, Kritai(server.url) as client:
        client.group("p").add({"text": long, "length_tokens": 9})
        client.group("p", drop_thinking=True).add(f"<think>{long}</think>1")
        client.group("p").add("<think>kept</think>1")
    whole = [sent(server, at)["rollouts"][0] for at in range(3)]
    assert whole[0] == {"text": long[:HEAD_CHARS], "length_tokens": 9, "too_long": True}
    assert [one["text"] for one in whole[1:]] == ["<think></think>1", "<think>kept</think>1"]


def test_what_cannot_be_sent_is_refused_here_and_takes_no_position() -> None:
    with serving(Groups()) as server, Kritai(server.url) as client:
        group = client.group("p")
        for wrong in (7, {"text": "1", "pass_rate": float("nan")}):
            with pytest.raises(InvalidRequest, match=r"rollouts\[0\]"):
                group.add(wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="unknown options: sizes"):
            client.group("p", sizes=8)  # type: ignore[call-arg]
        group.add("1")
    assert [request.json["position"] for request in server.received] == [0]


def test_the_handle_pickles_with_its_place() -> None:
    async def run(url: str) -> Rewards:
        async with AsyncKritai(url) as client:
            group = client.group("p")
            await group.add("1")
            copy: AsyncOpenGroup = pickle.loads(pickle.dumps(group))
            await copy.add("2")
            return await copy.rewards()

    with serving(Groups()) as server:
        assert asyncio.run(run(server.url)).rewards == [[1.0, 2.0]]
