"""A group whose rollouts are added as they come: what is sent, whose position is whose, what is tried
again, and what is raised."""

from __future__ import annotations

import asyncio
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import unquote

import pytest
from conftest import QUICK
from fake_server import Received, Reply, problem, scored_group, sent, serving, tail

from kritai import (
    AsyncKritai,
    AsyncOpenGroup,
    BadReply,
    InvalidRequest,
    Kritai,
    KritaiError,
    KritaiWarning,
    MissingField,
    NotFound,
    Rewards,
    Unavailable,
)
from kritai.too_long import HEAD_CHARS

NOT_READY = problem(503, "not_ready", retryable=True, retry_after="0")
TOO_LATE = problem(503, "not_ready", retryable=True, retry_after="3600")


class Groups:
    """Holds the rollouts of groups by position, as the server does."""

    def __init__(self) -> None:
        self.held: dict[str, dict[int, Any]] = {}
        self.closed: set[str] = set()
        self.warnings: list[str] = []

    def __call__(self, request: Received, before: int) -> Reply | None:
        _, _, _, group_id, verb = unquote(request.path).split("/")
        if verb == "close":
            return self.close(group_id, request.json)
        return self.add(group_id, request.json)

    def add(self, group_id: str, body: dict[str, Any]) -> Reply:
        members = self.held.setdefault(group_id, {})
        size, position = body.get("size"), body["position"]
        if position not in members and (group_id in self.closed or len(members) == size):
            return problem(409, "group_closed")
        if members.setdefault(position, body["rollouts"][0]) != body["rollouts"][0]:
            return problem(400, "facts_disagree", errors=[{"path": "rollouts[0]", "message": "another"}])
        state = "judging" if len(members) == size else "gathering"
        return Reply(body={"group_id": group_id, "members": len(members), "size": size, "state": state})

    def close(self, group_id: str, body: dict[str, Any]) -> Reply:
        if group_id not in self.held:
            return problem(404, "not_found")
        self.closed.add(group_id)
        positions = sorted(self.held[group_id])
        rollouts = [self.held[group_id][at] for at in positions]
        group = {**scored_group({"group_id": group_id, "rollouts": rollouts}), "positions": positions, "early": 3}
        rewards = [[one["reward"] for one in group["rollouts"]]]
        told = {**tail(body, "01G"), "warnings": self.warnings}
        return Reply(body={**told, "rewards": rewards, "groups": [group]})


def before_it(failures: list[Reply | None]) -> Callable[[Received, int], Reply | None]:
    """The groups' server behind so many failures."""
    groups = Groups()
    return lambda request, number: failures[number] if number < len(failures) else groups(request, number)


def changed(**of_group: Any) -> Callable[[Received, int], Reply | None]:
    """A server whose closed group is another than it should be; None takes a field away."""
    groups = Groups()

    def answer(request: Received, number: int) -> Reply | None:
        reply = groups(request, number)
        if reply is not None and "groups" in (reply.body or {}):
            group = {**reply.body["groups"][0], **of_group}
            reply.body["groups"][0] = {name: value for name, value in group.items() if value is not None}
        return reply

    return answer


def test_each_rollout_is_sent_at_once_with_the_groups_facts_and_its_position() -> None:
    with serving(Groups()) as server, Kritai(server.url) as client:
        facts: Any = {
            "language": "python",
            "reference": "4",
            "rubric": [{"text": "short", "points": 1}],
            "item": {"a": 1},
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


def test_an_add_whose_reply_was_lost_is_sent_again_with_the_same_position() -> None:
    groups = Groups()

    def answer(request: Received, number: int) -> Reply | None:
        reply = groups(request, number)
        return None if number == 1 else reply

    with serving(answer) as server, Kritai(server.url, retry=QUICK) as client:
        group = client.group("p", size=2)
        group.add("1")
        assert group.add("2")["members"] == 2, "the lost reply was to the last that the group takes"
        assert group.rewards().rewards == [[1.0, 2.0]]
    assert server.received[1].body == server.received[2].body


def test_an_add_is_tried_a_few_times_and_a_patient_one_until_its_time_is_over() -> None:
    away = [problem(503, "overloaded", retryable=True, retry_after="0")] * (3 * QUICK.retries_max)
    with serving(before_it(list(away))) as server, Kritai(server.url, retry=QUICK) as client:
        group = client.group("p")
        with pytest.raises(KritaiError, match="overloaded"):
            group.add("1", position=0)
        assert len(server.received) == 1 + QUICK.retries_max
        assert group.add("1", position=0, patient=True)["members"] == 1


def test_a_group_that_is_still_judged_is_closed_again_until_it_is_there() -> None:
    waits: list[Reply | None] = [problem(503, "gathering", retryable=True, retry_after="0"), None]
    waits += [NOT_READY] * (2 * QUICK.retries_max)
    groups, told = Groups(), list(waits)

    def answer(request: Received, number: int) -> Reply | None:
        return told.pop(0) if request.path.endswith("/close") and told else groups(request, number)

    with serving(answer) as server, Kritai(server.url, retry=QUICK) as client:
        group = client.group("p")
        group.add("1")
        assert group.rewards().flat == [1.0]
    assert len(server.received) == 2 + len(waits)


def test_the_wait_ends_with_timeout_s_within_which_the_servers_deadline_lies() -> None:
    with (
        serving(lambda request, number: TOO_LATE) as server,
        Kritai(server.url) as client,
        pytest.raises(Unavailable, match="not_ready"),
    ):
        client.group("p").rewards(timeout_s=60)
    assert [100 <= request.json["deadline_ms"] <= 48_000 for request in server.received] == [True]


def test_rewards_that_may_come_are_asked_for_again_by_a_patient_call_alone() -> None:
    groups, missing = Groups(), 2

    def answer(request: Received, number: int) -> Reply | None:
        nonlocal missing
        reply = groups(request, number)
        if reply is not None and request.path.endswith("/close") and missing:
            missing -= 1
            reply.body["groups"][0]["rollouts"][1] |= {"reward": None, "error": "deadline", "retryable": True}
        return reply

    with serving(answer) as server, Kritai(server.url, retry=QUICK) as client:
        group = client.group("p")
        group.add("1")
        group.add("2")
        assert group.rewards().rewards == [[1.0, None]]
        result = group.rewards(patient=True)
    assert (result.rewards, result.request_ids) == ([[1.0, 2.0]], ["01G"])
    assert len(server.received) == 5


def test_a_patient_call_that_the_server_leaves_keeps_what_it_has() -> None:
    groups, again = Groups(), threading.Event()

    def answer(request: Received, number: int) -> Reply | None:
        return TOO_LATE if again.is_set() else partly(request, number)

    def partly(request: Received, number: int) -> Reply | None:
        reply = groups(request, number)
        if reply is not None and request.path.endswith("/close"):
            reply.body["groups"][0]["rollouts"][0] |= {"reward": None, "error": "deadline", "retryable": True}
            again.set()
        return reply

    with serving(answer) as server, Kritai(server.url, retry=QUICK) as client:
        group = client.group("p")
        group.add("1")
        group.add("2")
        assert group.rewards(patient=True).rewards == [[None, 2.0]]


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


def test_what_the_server_refuses_is_raised_at_once_as_its_class() -> None:
    with serving(Groups()) as server, Kritai(server.url, retry=QUICK) as client:
        group = client.group("p", size=1)
        with pytest.raises(NotFound):
            group.rewards()
        group.add("1")
        with pytest.raises(InvalidRequest) as late:
            group.add("2")
        with pytest.raises(InvalidRequest) as other:
            group.add("3", position=0)
        assert group.rewards().rewards == [[1.0]], "a refused rollout is not missing"
    assert (late.value.code, late.value.status, late.value.retryable) == ("group_closed", 409, False)
    assert (other.value.code, other.value.errors[0].path) == ("facts_disagree", "rollouts[0]")
    assert len(server.received) == 5


@pytest.mark.parametrize(
    ("of_group", "kind", "said"),
    [
        ({"positions": [0, 2]}, BadReply, "lacks a rollout"),
        ({"positions": [1, 0]}, BadReply, "another order"),
        ({"positions": [0]}, BadReply, "another number"),
        ({"positions": None}, MissingField, "positions"),
        ({"rollouts": [{"reward": True, "error": None}] * 2}, BadReply, "finite number"),
    ],
)
def test_a_reply_that_is_not_the_groups_is_no_reward(
    of_group: dict[str, Any], kind: type[KritaiError], said: str
) -> None:
    with serving(changed(**of_group)) as server, Kritai(server.url) as client:
        group = client.group("p")
        group.add("1")
        group.add("2")
        with pytest.raises(kind, match=said):
            group.rewards()


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
