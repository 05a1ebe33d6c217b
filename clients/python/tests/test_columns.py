"""Members of a reply about the whole request, next to its groups, merged over the requests of a call:
columns, the rewards' range, the audit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from conftest import QUICK, numbered
from fake_server import Received, Reply, problem, rewards, serving

from kritai import AsyncKritai, BadReply, Kritai, MissingField, Rewards
from kritai.splitting import Limits

COUNTS = ("comparisons", "generations", "parsed", "unparsed", "failed", "saved", "prompt_tokens", "completion_tokens")


def told(request: Received, number: int, audited: int = 1, correlation: float | None = 0.5) -> Reply:
    """As the server, with what a spec of signals and an audit adds."""
    reply = rewards(request, number)
    body = reply.body
    if request.json.get("columns"):
        base = [[r["components"]["base"] for r in group["rollouts"]] for group in body["groups"]]
        body["columns"] = {"base": base, "place": [[number] * len(row) for row in base]}
    audit = {"groups": 2, "audited": audited, "correlation": correlation, **dict.fromkeys(COUNTS, number + 1)}
    return Reply(body={**body, "reward_range": [-1, 9], "audit": audit})


def scored(
    answer: Callable[[Received, int], Reply | None], *, blocking: bool, groups: int = 4, **options: Any
) -> Rewards:
    """Two groups a request, one request after the other."""
    given: Any = {"limits": Limits(parts=2), "concurrency": 1, "retry": QUICK}
    with serving(answer) as server:
        if blocking:
            with Kritai(server.url, **given) as client:
                return client.rewards(numbered(groups), **options)

        async def work() -> Rewards:
            async with AsyncKritai(server.url, **given) as client:
                return await client.rewards(numbered(groups), **options)

        return asyncio.run(work())


@pytest.mark.parametrize("blocking", [True, False])
def test_columns_are_those_of_all_requests_in_the_order_of_the_groups(*, blocking: bool) -> None:
    result = scored(told, blocking=blocking, columns=True)
    assert result.columns is not None
    assert result.columns["base"] == result.rewards
    assert result.columns["place"] == [[0, 0], [0, 0], [1, 1], [1, 1]]
    assert {type(value) for row in result.columns["place"] for value in row} == {float}


def test_columns_are_not_asked_for_unless_named() -> None:
    asked = []

    def answer(request: Received, number: int) -> Reply:
        asked.append(request.json)
        return told(request, number)

    assert scored(answer, blocking=True).columns is None
    assert all("columns" not in body for body in asked)


def test_groups_that_were_never_answered_have_no_values_and_no_range_is_made_up() -> None:
    def half(request: Received, number: int) -> Reply:
        down = request.json["groups"][0]["group_id"] == "0"
        return problem(503, "not_ready", retryable=True) if down else told(request, number)

    result = scored(half, blocking=True, columns=True, on_failure="null")
    assert result.columns is not None
    assert result.columns["base"] == result.rewards
    assert result.rewards[0] == [None, None]
    assert result.rewards[2] == [2.0, 2.01]
    nothing = scored(lambda *_: problem(503, "busy", retryable=True), blocking=True, columns=True, on_failure="null")
    assert (nothing.columns, nothing.reward_range, nothing.audit) == ({}, None, None)


def test_a_group_that_was_asked_again_has_its_last_values() -> None:
    def later(request: Received, number: int) -> Reply:
        reply = told(request, number)
        if number == 0:
            lost = reply.body["groups"][1]["rollouts"][0]
            lost.update(reward=None, error="deadline", retryable=True)
            reply.body["columns"]["base"][1][0] = None
        return reply

    result = scored(later, blocking=True, groups=2, columns=True, patient=True)
    assert result.columns == {"base": [[0.0, 0.01], [1.0, 1.01]], "place": [[0, 0], [1, 1]]}


def test_the_range_is_the_rewards_range_and_audits_are_summed() -> None:
    replies = [(2, 0.5), (1, -1.0), (2, None)]
    result = scored(lambda request, number: told(request, number, *replies[number]), blocking=True, groups=6)
    assert result.reward_range == (-1.0, 9.0)
    assert result.audit == {"groups": 6, "audited": 5, "correlation": 0.0, **dict.fromkeys(COUNTS, 6)}
    alone = scored(lambda request, number: told(request, number, 2, None), blocking=True, groups=2)
    assert alone.audit == {"groups": 2, "audited": 2, "correlation": None, **dict.fromkeys(COUNTS, 1)}
    for audit in (result.audit, alone.audit):
        with pytest.raises(MissingField, match="no field 'latency_ms'"):
            audit["latency_ms"]  # type: ignore[typeddict-item]


def test_costs_are_summed_and_dollars_unknown_where_one_is() -> None:
    def priced(usd: float | None, answered: int) -> Callable[[Received, int], Reply]:
        def answer(request: Received, number: int) -> Reply:
            if number >= answered:
                return problem(503, "busy", retryable=True)
            dollars = {"usd": usd if number == 1 else 0.25, "unpriced_tokens": 0 if usd else 7 * number}
            cost = {"calls": 3, "prompt_tokens": 90, **dollars}
            return Reply(body={**rewards(request, number).body, "cost": cost})

        return answer

    counts = {"calls": 6, "prompt_tokens": 180}
    assert scored(priced(0.5, 9), blocking=True).cost == {**counts, "usd": 0.75, "unpriced_tokens": 0}
    assert scored(priced(None, 9), blocking=True).cost == {**counts, "usd": None, "unpriced_tokens": 7}
    lost = scored(priced(0.5, 2), blocking=True, groups=6, on_failure="null")
    assert lost.cost == {**counts, "usd": None, "unpriced_tokens": 0}
    assert scored(rewards, blocking=True).cost is None


def test_a_spec_without_signals_and_audit_has_neither() -> None:
    result = scored(rewards, blocking=True)
    assert (result.columns, result.reward_range, result.audit) == (None, None, None)


def test_columns_that_a_server_does_not_send_are_a_missing_field() -> None:
    with pytest.raises(MissingField, match="no field 'columns'"):
        scored(rewards, blocking=True, columns=True)


@pytest.mark.parametrize("column", [[[1.0, 2.0]], [[1.0], [2.0]], [[1.0, True], [1.0, 2.0]], [[1.0, "2"], [1.0, 2.0]]])
def test_columns_of_another_shape_or_of_no_numbers_are_a_bad_reply(column: Any) -> None:
    def wrong(request: Received, number: int) -> Reply:
        reply = told(request, number)
        reply.body["columns"]["base"] = column
        return reply

    with pytest.raises(BadReply, match="column 'base'"):
        scored(wrong, blocking=True, groups=2, columns=True)


def test_the_real_stack_tells_them_at_once_in_parts_and_in_a_batch(url: str) -> None:
    length = {"kind": "length", "unit": "characters", "max": 40}
    spec: Any = {"signals": {"base": {"kind": "tournament"}, "short": length}, "reward": "base + short"}
    spec["audit"] = {"share": 1, "judge": {"samples": 2}}
    texts = ["```python\nprint(int(input()) * 2)\n```", "```python\nprint(int(input()) - 2)\n```"]
    prompt = "Print n doubled{}.\n\nSample Input 1\n```\n4\n```\nSample Output 1\n```\n8\n```"
    groups: Any = [{"prompt": prompt.format("!" * at), "rollouts": [{"text": t} for t in texts]} for at in range(3)]
    with Kritai(url) as client, Kritai(url, limits=Limits(parts=1)) as cut:
        batch = client.submit(groups, spec=spec, columns=True)
        whole = client.rewards(groups, spec=spec, columns=True)
        parts = cut.rewards(groups, spec=spec, columns=True)
        waited = batch.wait(60)
        *_, done = client.stream_rewards(groups, spec=spec)
    assert whole.columns is not None
    assert whole.columns.keys() == {"base", "short"}
    for name, column in whole.columns.items():
        assert column == [[r["components"][name] for r in group["rollouts"]] for group in whole.groups]
    assert len(parts.request_ids) == 3
    for other in (parts, waited):
        assert (other.columns, other.reward_range, other.audit) == (whole.columns, whole.reward_range, whole.audit)
    assert done["type"] == "done"
    assert done["audit"] == whole.audit
    assert tuple(done["reward_range"]) == whole.reward_range
    assert whole.audit is not None
    assert whole.audit["audited"] == 3
    assert whole.reward_range is not None
    low, high = whole.reward_range
    assert all(value is not None and low <= value <= high for value in whole.flat)
