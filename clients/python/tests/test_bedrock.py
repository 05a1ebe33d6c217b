"""The Lambda that forwards Bedrock's batches, called as Lambda calls it, against the fake server."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
from fake_server import FakeServer, Received, Reply, problem, rewards, rewards_reply, serving

FILE = Path(__file__).resolve().parents[2] / "bedrock" / "lambda_function.py"


class Context:
    """Lambda's own, with a clock that the test reads down."""

    def __init__(self, left_ms: int = 900_000, each_ms: int = 1_000) -> None:
        self._left_ms = left_ms
        self._each_ms = each_ms

    def get_remaining_time_in_millis(self) -> int:
        self._left_ms -= self._each_ms
        return self._left_ms


@pytest.fixture
def forwarder(monkeypatch: pytest.MonkeyPatch) -> Any:
    spec = importlib.util.spec_from_file_location("lambda_function", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module.time, "sleep", lambda _: None)
    for name in ("BASE_URL", "API_KEY", "SPEC", "RUN_ID", "FALLBACK"):
        monkeypatch.delenv(f"KRITAI_{name}", raising=False)
    return module


def sample(number: int, answer: str, prompt: str = "p", **more: Any) -> dict[str, Any]:
    turns = [{"role": "user", "content": [{"text": prompt}]}, {"role": "assistant", "content": answer}]
    return {"id": f"s{number}", "messages": turns, **more}


def called(forwarder: Any, server: FakeServer, monkeypatch: pytest.MonkeyPatch, event: Any, **more: int) -> Any:
    monkeypatch.setenv("KRITAI_BASE_URL", server.url)
    return forwarder.lambda_handler(event, Context(**more))


def test_samples_of_a_prompt_are_one_group_and_each_gets_its_own_reward_by_its_id(
    forwarder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KRITAI_RUN_ID", "bedrock-1")
    event = [sample(0, "1"), sample(1, "2", "q"), sample(2, "3"), sample(3, "4", reference_answer="a")]
    with serving(rewards) as server:
        told = called(forwarder, server, monkeypatch, event)
    assert [(one["id"], one["aggregate_reward_score"]) for one in told] == [
        ("s0", 1.0),
        ("s1", 2.0),
        ("s2", 3.0),
        ("s3", 4.0),
    ]
    assert {"name": "base", "value": 1.0, "type": "Reward"} in told[0]["metrics_list"]
    [request] = server.received
    assert [len(group["rollouts"]) for group in request.json["groups"]] == [2, 1, 1]
    assert request.json["groups"][0]["prompt"] == [{"role": "user", "content": "p"}]
    assert request.json["run_id"] == "bedrock-1"


def test_a_sample_without_a_reward_fails_the_invocation_unless_a_number_is_declared(
    forwarder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = [sample(0, "1"), sample(1, "none")]
    with serving(rewards) as server:
        with pytest.raises(RuntimeError, match="s1 has no reward: verifier_rejected"):
            called(forwarder, server, monkeypatch, event)
        monkeypatch.setenv("KRITAI_FALLBACK", "-1")
        told = called(forwarder, server, monkeypatch, event)
    assert [one["aggregate_reward_score"] for one in told] == [1.0, -1.0]
    assert [one["metrics_list"][0] for one in told] == [
        {"name": "kritai_failed", "value": 0.0, "type": "Metric"},
        {"name": "kritai_failed", "value": 1.0, "type": "Metric"},
    ]


def test_an_outage_and_rewards_that_may_come_later_are_waited_out(
    forwarder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(request: Received, number: int) -> Reply | None:
        if number == 0:
            return None
        if number == 1:
            return problem(503, "verifier_unavailable", retryable=True)
        reply = rewards_reply(request)
        if number == 2:
            reply.body["groups"][1]["rollouts"][0] |= {"reward": None, "error": "deadline", "retryable": True}
        return reply

    with serving(answer) as server:
        told = called(forwarder, server, monkeypatch, [sample(0, "1"), sample(1, "2", "q")])
    assert [one["aggregate_reward_score"] for one in told] == [1.0, 2.0]
    assert [len(request.json["groups"]) for request in server.received] == [2, 2, 2, 1]


@pytest.mark.parametrize(("retryable", "requests"), [(False, 1), (True, 2)])
def test_what_the_server_says_will_not_come_is_not_asked_again(
    forwarder: Any, monkeypatch: pytest.MonkeyPatch, retryable: bool, requests: int
) -> None:
    def answer(request: Received, number: int) -> Reply:
        reply = rewards_reply(request)
        if number == 0:
            reply.body["groups"][0]["rollouts"][0] |= {"reward": None, "error": "partial", "retryable": retryable}
        return reply

    monkeypatch.setenv("KRITAI_FALLBACK", "-1")
    with serving(answer) as server:
        told = called(forwarder, server, monkeypatch, [sample(0, "1")])
    assert len(server.received) == requests
    assert told[0]["aggregate_reward_score"] == (1.0 if retryable else -1.0)


def test_what_is_wrong_with_the_request_is_raised_at_once_with_its_words(
    forwarder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(lambda request, number: problem(401, "unauthorized")) as server:
        with pytest.raises(RuntimeError, match=r"Kritai answered 401: .*unauthorized"):
            called(forwarder, server, monkeypatch, [sample(0, "1")])
        assert len(server.received) == 1
        with pytest.raises(ValueError, match="s0: the last message must be the assistant's"):
            called(forwarder, server, monkeypatch, [{"id": "s0", "messages": [{"role": "user", "content": "p"}]}])


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ({"key": "value"}, "the event must be a list of samples"),
        ([sample(0, "1"), "x"], "the event must be a list of samples"),
        ([{"id": "s0"}], "sample s0: messages must be a list"),
        ([{"id": "s0", "messages": ["hello"]}], "sample s0: messages must be a list"),
    ],
)
def test_what_is_no_batch_of_samples_is_told_so(
    forwarder: Any, monkeypatch: pytest.MonkeyPatch, event: Any, said: str
) -> None:
    with serving(rewards) as server:
        with pytest.raises(ValueError, match=said):
            called(forwarder, server, monkeypatch, event)
        assert server.received == []


def test_what_kritai_says_will_not_succeed_later_is_raised_at_once_whatever_its_status(
    forwarder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(lambda request, number: problem(503, "not_configured")) as server:
        with pytest.raises(RuntimeError, match=r"Kritai answered 503: .*not_configured"):
            called(forwarder, server, monkeypatch, [sample(0, "1")])
        assert len(server.received) == 1


def test_a_reply_that_breaks_off_is_asked_again(forwarder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(request: Received, number: int) -> Reply:
        whole = rewards_reply(request)
        return Reply(pieces=[b'{"groups": ['], cut=True) if number == 0 else whole

    with serving(answer) as server:
        told = called(forwarder, server, monkeypatch, [sample(0, "1")])
    assert [one["aggregate_reward_score"] for one in told] == [1.0]
    assert len(server.received) == 2


def test_a_redirect_is_not_followed(forwarder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KRITAI_API_KEY", "secret")
    with serving(rewards) as other, serving(lambda r, n: Reply(302, {}, {"location": f"{other.url}/x"})) as server:
        with pytest.raises(RuntimeError, match="Kritai answered 302"):
            called(forwarder, server, monkeypatch, [sample(0, "1")])
        assert other.received == []


@pytest.mark.parametrize("text", ["none", "nan", "inf"])
def test_a_fallback_that_is_no_number_is_refused_before_anything_is_asked(
    forwarder: Any, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("KRITAI_FALLBACK", text)
    with serving(rewards) as server:
        with pytest.raises(ValueError, match="KRITAI_FALLBACK must be a number"):
            called(forwarder, server, monkeypatch, [sample(0, "1")])
        assert server.received == []


def test_an_outage_that_outlasts_lambdas_time_ends_in_its_fault(
    forwarder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(lambda request, number: problem(503, "busy", retryable=True)) as server:
        with pytest.raises(RuntimeError, match="Kritai answered 503"):
            called(forwarder, server, monkeypatch, [sample(0, "1")], left_ms=60_000, each_ms=5_000)
        assert 1 < len(server.received) < 8


def test_a_batch_beyond_one_requests_limits_is_sent_in_several(forwarder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    event = [sample(at, str(at), f"p{at}") for at in range(300)]
    with serving(rewards) as server:
        told = called(forwarder, server, monkeypatch, event)
    assert [one["aggregate_reward_score"] for one in told] == [float(at) for at in range(300)]
    assert [len(request.json["groups"]) for request in server.received] == [256, 44]
