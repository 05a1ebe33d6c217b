"""The NDJSON stream: indices over the whole call, heartbeats, breaks, and that no group comes
twice."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from conftest import QUICK, numbered
from fake_server import Received, Reply, line, problem, scored_group, serving, tail

from kritai import AsyncKritai, BadReply, Kritai, Limits, RewardsEvent, ServerFault, Unavailable


def lines_of(request: Received, order: list[int] | None = None) -> list[bytes]:
    groups = request.json["groups"]
    order = list(range(len(groups))) if order is None else order
    return [line({"type": "group", "index": at, **scored_group(groups[at])}) for at in order]


def done(request: Received) -> bytes:
    return line({"type": "done", **tail(request.json, "01S")})


def places(events: list[RewardsEvent]) -> list[tuple[int, float | None]]:
    return [(e["index"], e["rollouts"][0]["reward"]) for e in events if e["type"] == "group"]


def test_groups_come_as_they_finish_under_their_index_in_the_call() -> None:
    def answer(request: Received, number: int) -> Reply:
        beat = line({"type": "heartbeat", "groups_done": 0, "groups": 3})
        return Reply(pieces=[beat, *lines_of(request, [2, 0, 1]), b"\n", done(request)])

    with serving(answer) as server:
        events = list(Kritai(server.url, limits=Limits(parts=3)).stream_rewards(numbered(6)))
    assert places(events) == [(2, 2.0), (0, 0.0), (1, 1.0), (5, 5.0), (3, 3.0), (4, 4.0)]
    assert [event["type"] for event in events].count("done") == 2
    assert all(request.headers["accept"] == "application/x-ndjson" for request in server.received)


def test_a_group_is_given_before_the_others_are_there() -> None:
    seen = threading.Event()

    def answer(request: Received, number: int) -> Reply:
        first, second = lines_of(request)
        return Reply(pieces=[first, lambda: seen.wait(10), second, done(request)])

    with serving(answer) as server:
        for event in Kritai(server.url).stream_rewards(numbered(2)):
            if event["type"] == "group" and event["index"] == 0:
                assert not seen.is_set()
                seen.set()
    assert seen.is_set()


def test_after_a_break_only_what_is_missing_is_asked_again() -> None:
    def answer(request: Received, number: int) -> Reply:
        if number == 0:
            return Reply(pieces=lines_of(request, [3, 1]), cut=True)
        return Reply(pieces=[*lines_of(request), done(request)])

    with serving(answer) as server:
        events = list(Kritai(server.url, retry=QUICK).stream_rewards(numbered(4)))
    assert places(events) == [(3, 3.0), (1, 1.0), (0, 0.0), (2, 2.0)]
    assert [group["group_id"] for group in server.received[1].json["groups"]] == ["0", "2"]


@pytest.mark.parametrize(("retryable", "kind", "tries"), [(True, Unavailable, 4), (False, ServerFault, 1)])
def test_an_error_line_is_an_error(retryable: bool, kind: type[Exception], tries: int) -> None:
    def answer(request: Received, number: int) -> Reply:
        event = {"type": "error", "code": "internal", "detail": "d", "request_id": "01S", "retryable": retryable}
        return Reply(pieces=[line(event)])

    with serving(answer) as server, pytest.raises(kind):
        list(Kritai(server.url, retry=QUICK).stream_rewards(numbered(1)))
    assert len(server.received) == tries


@pytest.mark.parametrize("order", [[0, 0], [0, 5], [0]], ids=["twice", "unknown", "missing"])
def test_a_stream_that_does_not_bring_each_group_once_is_refused(order: list[int]) -> None:
    def answer(request: Received, number: int) -> Reply:
        sent = [line({"type": "group", "index": at, **scored_group(request.json["groups"][0])}) for at in order]
        return Reply(pieces=[*sent, done(request)])

    with serving(answer) as server, pytest.raises(BadReply):
        list(Kritai(server.url).stream_rewards(numbered(2)))


def test_a_stream_too_large_for_the_server_is_halved() -> None:
    def answer(request: Received, number: int) -> Reply:
        if len(request.json["groups"]) > 2:
            return problem(400, "too_many_rollouts")
        return Reply(pieces=[*lines_of(request), done(request)])

    with serving(answer) as server:
        events = list(Kritai(server.url).stream_rewards(numbered(4)))
    assert places(events) == [(0, 0.0), (1, 1.0), (2, 2.0), (3, 3.0)]


def test_a_caller_that_stops_early_closes_the_connection() -> None:
    def answer(request: Received, number: int) -> Reply:
        blanks: list[Any] = [b" " * 65_536 + b"\n"] * 2000
        return Reply(pieces=[lines_of(request)[0], *blanks])

    with serving(answer) as server:
        for _ in Kritai(server.url).stream_rewards(numbered(2)):
            break
        assert server.left.wait(10)


def test_the_async_stream_gives_the_same() -> None:
    async def collect(url: str) -> list[RewardsEvent]:
        async with AsyncKritai(url) as client:
            return [event async for event in client.stream_rewards(numbered(3))]

    with serving(lambda request, number: Reply(pieces=[*lines_of(request), done(request)])) as server:
        assert places(asyncio.run(collect(server.url))) == [(0, 0.0), (1, 1.0), (2, 2.0)]
