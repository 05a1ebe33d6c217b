"""Batches over the limits: where they are cut, that they run side by side, that nothing loses its
place."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest
from conftest import QUICK, expected, numbered
from fake_server import Received, Reply, problem, rewards, rewards_reply, serving

from kritai import Group, InvalidRequest, Kritai, KritaiWarning, Limits, Rollout, TooLarge, Unavailable, VerdictItem
from kritai.merging import batch_metrics, right_verdict
from kritai.splitting import generations_of


def sizes(received: list[Received]) -> list[int]:
    return sorted(len(request.json["groups"]) for request in received)


@pytest.mark.parametrize(
    ("limits", "sent"),
    [
        (Limits(), [10]),
        (Limits(parts=4), [2, 4, 4]),
        (Limits(rollouts=9), [1, 3, 3, 3]),
        (Limits(generations=6), [2, 2, 2, 2, 2]),
    ],
)
def test_a_batch_is_cut_at_group_boundaries_and_comes_back_in_order(limits: Limits, sent: list[int]) -> None:
    with serving(rewards) as server:
        result = Kritai(server.url, limits=limits).rewards(numbered(10, 3))
    assert sizes(server.received) == sent
    assert result.rewards == expected(10, 3)
    assert [group["group_id"] for group in result.groups] == [str(g) for g in range(10)]
    assert len(result.request_ids) == len(sent)


def test_the_limits_of_the_server_are_the_default() -> None:
    with serving(rewards) as server:
        client = Kritai(server.url)
        client.rewards(numbered(257, 1))
        client.rewards(numbered(33, 64))
    assert sizes(server.received[:2]) == [1, 256]
    assert [sum(len(g["rollouts"]) for g in request.json["groups"]) for request in server.received[2:]] != [33 * 64]
    assert all(sum(2016 for _ in request.json["groups"]) <= 8192 for request in server.received[2:])


def test_no_body_is_longer_than_the_limit() -> None:
    text = "é" * 3000
    groups: list[Group] = [{"prompt": text, "rollouts": [{"text": str(g)}, {"text": "1"}]} for g in range(20)]
    with serving(rewards) as server:
        result = Kritai(server.url, limits=Limits(body_bytes=40_000)).rewards(groups)
    assert len(server.received) > 5
    assert all(len(request.body) <= 40_000 for request in server.received)
    assert [row[0] for row in result.rewards] == [float(g) for g in range(20)]


def test_agents_runs_beyond_a_body_go_in_parts_whole_and_in_order() -> None:
    def run(words: str) -> Rollout:
        calls = [{"id": "c", "type": "function", "function": {"name": "bash", "arguments": "{}"}}]
        step: list[dict[str, object]] = [
            {"role": "assistant", "content": "I look.", "tool_calls": calls},
            {"role": "tool", "tool_call_id": "c", "content": "r" * 500},
        ]
        return {"messages": [*(step * 20), {"role": "assistant", "content": words}]}

    groups: list[Group] = [{"prompt": "p", "rollouts": [run(str(g)), run("1")]} for g in range(20)]
    with serving(rewards) as server:
        result = Kritai(server.url, limits=Limits(body_bytes=100_000)).rewards(groups)
    assert len(server.received) > 5
    assert all(len(request.body) <= 100_000 for request in server.received)
    assert [row[0] for row in result.rewards] == [float(g) for g in range(20)]
    sent = sorted(
        (group for request in server.received for group in json.loads(request.body)["groups"]),
        key=lambda group: int(group["group_id"]),
    )
    assert [group["rollouts"] for group in sent] == [group["rollouts"] for group in groups]


def test_requests_run_side_by_side_but_never_more_than_allowed() -> None:
    both = threading.Barrier(2, timeout=300)

    def answer(request: Received, number: int) -> Reply:
        both.wait()
        return rewards_reply(request)

    with serving(answer) as server:
        result = Kritai(server.url, limits=Limits(parts=1), concurrency=2).rewards(numbered(8))
    assert server.in_flight_max == 2
    assert result.rewards == expected(8)


def test_a_request_that_is_still_too_much_for_the_server_is_halved() -> None:
    def answer(request: Received, number: int) -> Reply:
        if len(request.json["groups"]) > 3:
            return problem(400, "too_many_generations")
        return rewards_reply(request)

    with serving(answer) as server:
        assert Kritai(server.url).rewards(numbered(10)).rewards == expected(10)
    assert sizes(server.received) == [2, 2, 3, 3, 5, 5, 10]


def test_one_group_that_is_too_large_by_itself_is_refused_as_such() -> None:
    answer = problem(413, "body_too_large")
    with serving(lambda request, number: answer) as server, pytest.raises(TooLarge):
        Kritai(server.url).rewards(numbered(2))


def test_fields_at_fault_are_counted_from_the_calls_first_group() -> None:
    def answer(request: Received, number: int) -> Reply:
        if request.json["groups"][0]["group_id"] == "4":
            faults = [{"path": "groups[1].rollouts[0].text", "message": "too long"}]
            return problem(400, "invalid_request", errors=faults)
        return rewards_reply(request)

    with serving(answer) as server, pytest.raises(InvalidRequest) as caught:
        Kritai(server.url, limits=Limits(parts=4)).rewards(numbered(8))
    assert caught.value.errors[0].path == "groups[5].rollouts[0].text"


def failing_for_group_4(request: Received, number: int) -> Reply:
    if any(group["group_id"] == "4" for group in request.json["groups"]):
        return problem(503, "store_unavailable", retryable=True)
    return rewards_reply(request)


def test_a_failed_request_becomes_null_in_its_own_groups_when_asked_and_never_a_number() -> None:
    with serving(failing_for_group_4) as server:
        client = Kritai(server.url, limits=Limits(parts=2), retry=QUICK)
        result = client.rewards(numbered(8), on_failure="null")
    assert [row == [None, None] for row in result.rewards] == [False] * 4 + [True] * 2 + [False] * 2
    lost = result.groups[5]["rollouts"][1]
    assert (lost["reward"], lost["error"], lost["undecided"]) == (None, "store_unavailable", 1)
    assert result.logged is False
    assert len(result.request_ids) == 3


def test_a_failed_request_is_raised_by_default() -> None:
    with serving(failing_for_group_4) as server, pytest.raises(Unavailable):
        Kritai(server.url, limits=Limits(parts=2), retry=QUICK).rewards(numbered(8))


def test_a_fault_of_the_request_is_raised_although_failures_become_null() -> None:
    with serving(lambda request, number: problem(400, "unknown_spec")) as server, pytest.raises(InvalidRequest):
        Kritai(server.url).rewards(numbered(2), spec="no-such", on_failure="null")


def test_one_replys_metrics_are_the_servers_and_several_replies_are_measured_again() -> None:
    with serving(rewards) as server:
        whole = Kritai(server.url).rewards(numbered(2))
        parted = Kritai(server.url, limits=Limits(parts=1)).rewards(numbered(2))
    assert whole.metrics["reward_mean"] == 9
    metrics = parted.metrics
    assert metrics["reward_mean"] == pytest.approx((0 + 0.01 + 1 + 1.01) / 4)
    assert metrics["reward_std"] == pytest.approx(0.500025, abs=1e-6)
    assert (metrics["parse_rate"], metrics["tau_b_mean"], metrics["list_acc"]) == (0.5, 0.5, 1.0)
    assert batch_metrics([])["reward_mean"] is None


def test_a_repeated_group_id_is_refused_however_the_batch_is_cut() -> None:
    groups: list[Group] = [{**group, "group_id": "same"} for group in numbered(3)]
    with pytest.raises(InvalidRequest) as caught:
        Kritai("http://127.0.0.1:9").rewards(groups)
    assert caught.value.errors[0].path == "groups[1].group_id"


def test_no_groups_and_what_is_no_json_are_refused_before_anything_is_sent() -> None:
    client = Kritai("http://127.0.0.1:9")
    with pytest.raises(InvalidRequest):
        client.rewards([])
    with pytest.raises(InvalidRequest) as caught:
        client.rewards([{"prompt": "p", "rollouts": [{"text": "t", "pass_rate": float("nan")}]}])
    assert caught.value.errors[0].path == "groups[0]"
    with pytest.raises(TypeError, match="steps"):
        client.rewards(numbered(1), steps=3)  # type: ignore[call-arg]


def test_a_lone_surrogate_in_a_models_text_can_be_sent() -> None:
    with serving(rewards) as server:
        Kritai(server.url).rewards([{"prompt": "\ud83d", "rollouts": [{"text": "1"}]}])
    assert server.received[0].json["groups"][0]["prompt"] == "\ud83d"


def test_what_a_group_can_ask_for_is_counted_as_the_schedules_do() -> None:
    assert generations_of(16, "default") == 120
    assert generations_of(16, {"judge": {"both_orders": True, "samples": 3}}) == 720
    assert generations_of(5, {"judge": {"mode": "listwise", "samples": 8}}) == 8
    assert generations_of(16, {"judge": {"samples": {"min": 2, "max": 4}}}) == 480


def test_run_step_and_spec_are_sent_with_every_request() -> None:
    with serving(rewards) as server:
        client = Kritai(server.url, limits=Limits(parts=1))
        client.rewards(numbered(2), run_id="r", step=0, spec={"reward": "wins"})
    for request in server.received:
        assert {k: request.json[k] for k in ("run_id", "step", "spec")} == {
            "run_id": "r",
            "step": 0,
            "spec": {"reward": "wins"},
        }


def verdict_reply(request: Received, number: int) -> Reply:
    items: list[dict[str, object]] = [
        {"reward": float(item["text"]), "components": {}, "verdict": "B", "scores": None, "status": "ok"}
        for item in request.json["items"]
    ]
    metrics = {"parse_rate": 1, "accuracy": 0.25, "reward_mean": 7, "reward_std": 0}
    return Reply(
        body={"request_id": f"01V{number}", "rewards": [i["reward"] for i in items], "items": items}
        | {"metrics": metrics, "logged": True, "warnings": []}
    )


def test_verdicts_are_cut_by_size_come_back_in_order_and_are_measured_together() -> None:
    items: list[VerdictItem] = [{"text": str(i), "pass_rates": [0, 1] if i % 2 else [1, 0]} for i in range(6)]
    with serving(verdict_reply) as server:
        result = Kritai(server.url, limits=Limits(body_bytes=16 * 1024 + 90)).verdicts(items, "pair_em")
    assert len(server.received) > 1
    assert all(json.loads(request.body)["formulation"] == "pair_em" for request in server.received)
    assert result.rewards == [0, 1, 2, 3, 4, 5]
    assert (result.metrics["accuracy"], result.metrics["reward_mean"]) == (0.5, 2.5)


def test_verdicts_of_one_prompt_stay_in_one_request() -> None:
    items: list[VerdictItem] = [
        {"prompt": str(i // 3), "text": str(i), "candidates": 2, "correct": 1} for i in range(18)
    ]
    with serving(verdict_reply) as server:
        result = Kritai(server.url, limits=Limits(parts=4)).verdicts(items, "pair_em", run_id="v", log_texts=True)
    sent = sorted([item["prompt"] for item in request.json["items"]] for request in server.received)
    assert sent == [[prompt for prompt in prompts for _ in range(3)] for prompts in ("0123", "45")]
    assert all(request.json["log_texts"] is True for request in server.received)
    assert result.rewards == list(range(18))


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"candidates": 3, "correct": 1}, "B"),
        ({"pass_rates": [0.5, 1]}, "B"),
        ({"pass_rates": [1, 1]}, None),
    ],
)
def test_a_right_verdict_is_what_the_server_tells(item: Any, expected: str | None) -> None:
    given: VerdictItem = {"text": "t"}
    given.update(item)
    assert right_verdict(given) == expected


@pytest.mark.parametrize(
    "spec",
    [
        {"judge": None},
        {"judge": {"samples": "many"}},
        {"judge": {"samples": {}}},
        {"signals": None},
        {"signals": {"q": 1}},
    ],
)
def test_a_spec_that_is_wrong_is_left_to_the_server(spec: Any) -> None:
    with serving(lambda request, number: problem(400, "invalid_request")) as server, Kritai(server.url) as client:
        with pytest.raises(InvalidRequest):
            client.rewards(numbered(2), spec=spec)
        assert server.received[0].json["spec"] == spec


@pytest.mark.parametrize("rollouts", [None, "text", ["text"], 3])
def test_a_group_without_rollouts_is_told_so_by_its_place(rollouts: Any) -> None:
    wrong: Any = {"prompt": "p", **({} if rollouts is None else {"rollouts": rollouts})}
    with Kritai("http://127.0.0.1:9") as client, pytest.raises(InvalidRequest) as raised:
        client.rewards([*numbered(1), wrong])
    assert [fault.path for fault in raised.value.errors] == ["groups[1].rollouts"]


def test_groups_of_a_request_may_be_said_and_then_go_side_by_side() -> None:
    with serving(rewards) as server:
        result = Kritai(server.url, groups_per_request=3).rewards(numbered(8, 2))
    assert sizes(server.received) == [2, 3, 3]
    assert result.rewards == expected(8, 2)


def late_rewards(request: Received, number: int) -> Reply:
    reply = rewards(request, number)
    assert isinstance(reply.body, dict)
    return Reply(body={**reply.body, "warnings": ["headers_late: they came 400 ms after a request"]})


def test_a_server_that_warns_of_late_headers_gets_a_group_a_request_from_the_next_call_on() -> None:
    with serving(late_rewards) as server, Kritai(server.url) as client:
        with pytest.warns(KritaiWarning, match="headers_late"):
            client.rewards(numbered(5))
        with pytest.warns(KritaiWarning, match="headers_late"):
            result = client.rewards(numbered(5))
    assert sizes(server.received) == [1, 1, 1, 1, 1, 5]
    assert result.rewards == expected(5, 2)


@pytest.mark.filterwarnings("ignore::kritai.KritaiWarning")
def test_what_was_asked_for_stays_whatever_the_server_warns_of() -> None:
    with serving(late_rewards) as server, Kritai(server.url, groups_per_request=256) as client:
        client.rewards(numbered(5))
        client.rewards(numbered(5))
    assert sizes(server.received) == [5, 5]
