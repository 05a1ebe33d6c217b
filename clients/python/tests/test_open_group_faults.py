"""A group that is added to as its rollouts come, where something goes wrong: what is tried again, and what
is raised."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from conftest import QUICK
from fake_groups import Groups
from fake_server import Received, Reply, problem, serving

from kritai import BadReply, InvalidRequest, Kritai, KritaiError, MissingField, NotFound, Unavailable

NOT_READY = problem(503, "not_ready", retryable=True, retry_after="0")
TOO_LATE = problem(503, "not_ready", retryable=True, retry_after="3600")


def before_it(failures: list[Reply | None]) -> Callable[[Received, int], Reply | None]:
    """The given failures, then the groups' server."""
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
