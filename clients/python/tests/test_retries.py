"""The one retry loop: what is tried again, how long it waits, when it gives up; and what an error
tells."""

from __future__ import annotations

import asyncio
import pickle
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from conftest import QUICK, numbered
from fake_server import Received, Reply, problem, rewards, rewards_reply, serving

from kritai import (
    AsyncKritai,
    BadReply,
    DeadlineExceeded,
    InvalidRequest,
    Kritai,
    KritaiError,
    NotFound,
    Overloaded,
    RetryPolicy,
    ServerFault,
    TooLarge,
    Unauthorized,
    Unavailable,
)
from kritai.retry_policy import retry_after_s
from kritai.transport import Transport


def failing_first(failures: list[Reply | None]) -> Callable[[Received, int], Reply | None]:
    return lambda request, number: failures[number] if number < len(failures) else rewards_reply(request)


@pytest.mark.parametrize("status", [408, 429, 502, 503, 504])
def test_a_reply_that_may_pass_is_asked_again_with_the_same_body_and_key(status: int) -> None:
    with serving(failing_first([problem(status, "overloaded", retryable=True)] * 2)) as server:
        result = Kritai(server.url, retry=QUICK).rewards(numbered(1))
    assert result.rewards == [[0.0, 0.01]]
    first, *others = server.received
    assert len(others) == 2
    assert all(again.body == first.body for again in others)
    assert len({request.headers["idempotency-key"] for request in server.received}) == 1


def test_an_earlier_attempt_that_is_still_under_way_is_waited_for_until_it_is_done() -> None:
    under_way = problem(409, "request_in_progress", retryable=True, retry_after="0")
    beyond_the_retries = [under_way] * (2 * QUICK.retries_max)
    with serving(failing_first([None, *beyond_the_retries])) as server:
        assert Kritai(server.url, retry=QUICK).rewards(numbered(1)).flat == [0.0, 0.01]
    assert len({(request.headers["idempotency-key"], request.body) for request in server.received}) == 1


def test_an_attempt_that_stays_under_way_is_unavailable_at_the_deadline() -> None:
    answer = problem(409, "request_in_progress", retryable=True, retry_after="30")
    with serving(lambda request, number: answer) as server, pytest.raises(Unavailable) as caught:
        Kritai(server.url).rewards(numbered(1), timeout_s=25)
    assert (caught.value.code, caught.value.retryable, len(server.received)) == ("request_in_progress", True, 1)


def test_a_connection_closed_without_a_reply_is_tried_again() -> None:
    with serving(failing_first([None])) as server:
        assert Kritai(server.url, retry=QUICK).rewards(numbered(1)).flat == [0.0, 0.01]


def test_a_reply_cut_in_the_middle_is_tried_again() -> None:
    with serving(failing_first([Reply(pieces=[b'{"rewards"'], cut=True)])) as server:
        assert Kritai(server.url, retry=QUICK).rewards(numbered(1)).flat == [0.0, 0.01]


def test_a_page_of_a_proxy_is_tried_again_and_never_quoted() -> None:
    page = Reply(502, headers={"content-type": "text/html"}, pieces=[b"<html>secret</html>"])
    with serving(lambda request, number: page) as server, pytest.raises(Unavailable) as caught:
        Kritai(server.url, retry=QUICK).rewards(numbered(1))
    assert caught.value.code == "http_502"
    assert "secret" not in str(caught.value)
    assert len(server.received) == 1 + QUICK.retries_max


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "unknown_spec", InvalidRequest),
        (401, "unauthorized", Unauthorized),
        (404, "not_found", NotFound),
        (413, "body_too_large", TooLarge),
        (409, "conflict", InvalidRequest),
        (415, "unsupported_media_type", InvalidRequest),
        (422, "idempotency_key_reused", InvalidRequest),
        (500, "internal", ServerFault),
        (503, "not_configured", Unavailable),
    ],
)
def test_what_cannot_pass_is_raised_at_once_as_its_class(status: int, code: str, kind: type[KritaiError]) -> None:
    with serving(lambda request, number: problem(status, code)) as server, pytest.raises(kind) as caught:
        Kritai(server.url, retry=QUICK).rewards(numbered(1))
    assert (caught.value.code, caught.value.status, caught.value.request_id) == (code, status, "01REQUEST")
    assert len(server.received) == 1


def test_an_error_names_the_fields_and_survives_pickling() -> None:
    faults = [{"path": "groups[0].rollouts", "message": "at most 64"}]
    answer = problem(400, "invalid_request", errors=faults)
    with serving(lambda request, number: answer) as server, pytest.raises(InvalidRequest) as caught:
        Kritai(server.url).rewards(numbered(1))
    again = pickle.loads(pickle.dumps(caught.value))
    assert [(fault.path, fault.message) for fault in again.errors] == [("groups[0].rollouts", "at most 64")]
    assert str(again) == "invalid_request: what is wrong (request 01REQUEST)\n  groups[0].rollouts: at most 64"


def test_overload_that_stays_is_raised_after_the_retries() -> None:
    answer = problem(429, "overloaded", retryable=True)
    with serving(lambda request, number: answer) as server, pytest.raises(Overloaded):
        Kritai(server.url, retry=QUICK).rewards(numbered(1))
    assert len(server.received) == 1 + QUICK.retries_max


def test_a_server_that_is_not_there_is_unavailable_and_no_text_names_the_key() -> None:
    with pytest.raises(Unavailable) as caught:
        Kritai("http://127.0.0.1:9", "the-key", retry=QUICK).rewards(numbered(1))
    assert caught.value.code == "connection_failed"
    assert "the-key" not in str(caught.value) + repr(caught.value)


async def waits_for(failure: Reply, policy: RetryPolicy) -> list[float]:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    with serving(failing_first([failure] * 3)) as server:
        transport = Transport(server.url, None, retry=policy, connections_max=4, sleep=sleep)
        async with AsyncKritai(transport=transport) as client:
            await client.rewards(numbered(1))
    return waited


def test_retry_after_is_the_least_that_is_waited() -> None:
    failure = problem(503, "store_unavailable", retryable=True, retry_after="7")
    waited = asyncio.run(waits_for(failure, RetryPolicy(base_s=0.5)))
    assert len(waited) == 3
    assert all(7 <= seconds < 7.5 for seconds in waited)


def test_without_retry_after_each_wait_is_a_random_share_of_a_doubling_bound() -> None:
    waited = asyncio.run(waits_for(problem(503, "store_unavailable", retryable=True), RetryPolicy(base_s=1, cap_s=3)))
    assert all(0 <= seconds < bound for seconds, bound in zip(waited, [1, 2, 3], strict=True))
    policy = RetryPolicy(base_s=1, cap_s=3)
    assert [policy.wait_s(tries, None, 0.5) for tries in range(4)] == [0.5, 1.0, 1.5, 1.5]


def test_retry_after_may_be_a_date() -> None:
    assert retry_after_s("Thu, 01 Jan 1970 00:01:40 GMT", 40.0) == 60.0
    assert retry_after_s("soon", 0.0) is None
    assert retry_after_s("-3", 0.0) == 0.0


def test_no_retry_is_begun_that_the_deadline_would_cut() -> None:
    answer = problem(503, "store_unavailable", retryable=True, retry_after="3000")
    with serving(lambda request, number: answer) as server, pytest.raises(Unavailable):
        Kritai(server.url).rewards(numbered(1), timeout_s=2500)
    assert len(server.received) == 1


def test_the_deadline_holds_although_the_reply_keeps_dripping() -> None:
    ended = threading.Event()

    def drip(request: Received, number: int) -> Reply:
        return Reply(pieces=[piece for _ in range(20_000) for piece in (b"\n", lambda: ended.wait(0.05))])

    started = time.monotonic()
    with serving(drip) as server:
        with pytest.raises(DeadlineExceeded) as caught:
            Kritai(server.url).rewards(numbered(1), timeout_s=0.4)
        ended.set()
    assert caught.value.code == "client_deadline"
    assert time.monotonic() - started > 0.35  # the reply would drip for a quarter of an hour


def test_the_servers_deadline_lies_inside_the_calls() -> None:
    with serving(rewards) as server:
        client = Kritai(server.url)
        client.rewards(numbered(1), timeout_s=10)
        client.rewards(numbered(1), timeout_s=10, deadline_ms=2000)
        client.rewards(numbered(1))
    sent = [request.json["deadline_ms"] for request in server.received]
    assert 7500 < sent[0] <= 8000
    assert sent[1:] == [2000, 120_000]


def test_a_slow_reply_may_begin_with_white_space() -> None:
    def slow(request: Received, number: int) -> Reply:
        body = rewards_reply(request).body
        return Reply(pieces=[b"\n", b"\n", __import__("json").dumps(body).encode()])

    with serving(slow) as server:
        assert Kritai(server.url).rewards(numbered(1)).flat == [0.0, 0.01]


def changed(change: Callable[[Any], object]) -> Callable[[Received, int], Reply]:
    def answer(request: Received, number: int) -> Reply:
        reply = rewards_reply(request)
        change(reply.body)
        return reply

    return answer


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body["groups"].pop(),
        lambda body: body["groups"][0]["rollouts"].pop(),
        lambda body: body["groups"][0]["rollouts"][0].update(reward=True),
        lambda body: body["groups"][0]["rollouts"][0].update(reward="0.5"),
        lambda body: body["groups"][0]["rollouts"][0].update(reward=None),
        lambda body: body["groups"][0]["rollouts"][0].update(reward=float("nan")),
    ],
    ids=["fewer groups", "fewer rollouts", "a boolean", "a text", "null without a code", "NaN"],
)
def test_a_reply_that_is_not_one_score_a_rollout_is_refused(change: Callable[[Any], object]) -> None:
    with serving(changed(change)) as server, pytest.raises(BadReply):
        Kritai(server.url, retry=QUICK).rewards(numbered(2))


def test_the_key_is_sent_as_bearer_and_comes_from_the_environment_when_not_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with serving(rewards) as server:
        Kritai(server.url, "given").rewards(numbered(1))
        monkeypatch.setenv("KRITAI_BASE_URL", server.url + "/")
        monkeypatch.setenv("KRITAI_API_KEY", " from-env\n")
        Kritai().rewards(numbered(1))
    assert [request.headers["authorization"] for request in server.received] == ["Bearer given", "Bearer from-env"]
    assert server.received[1].path == "/v1/rewards"


def test_a_wrong_address_or_key_is_told_at_once_without_naming_the_key() -> None:
    with pytest.raises(ValueError, match="base_url"):
        Kritai("127.0.0.1:8787")
    with pytest.raises(ValueError, match="api_key") as caught:
        Kritai("http://127.0.0.1:1", "two\nlines")
    assert "lines" not in str(caught.value)
