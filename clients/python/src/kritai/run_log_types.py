"""Owns the shapes of the run log's rows, as in the server's OpenAPI document. Knows no transport."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from kritai.reply_types import GroupResult


class RunSummary(TypedDict):
    run_id: str
    owner: str | None
    first_step: int | None
    last_step: int | None
    first_at: str
    last_at: str
    requests: int
    groups: int
    rollouts: int
    reward_mean: float | None
    parse_rate: float | None


class StepRow(TypedDict):
    step: int | None
    requests: int
    groups: int
    rollouts: int
    reward_mean: float | None
    reward_std: float | None
    zero_variance_share: float | None
    parse_rate: float | None
    tau_b_mean: float | None
    list_acc: float | None
    length_tokens: dict[str, float | None]
    generations: int
    prompt_tokens: int
    completion_tokens: int
    latency_ms: dict[str, float | None]
    errors: dict[str, int]
    warnings: list[str]


class AlarmSpan(TypedDict):
    """Steps that an alarm was on; `to_step` is None while it is. What to do: docs/alarms.md."""

    alarm: str
    level: Literal["watch", "alarm"]
    from_step: int
    to_step: int | None
    evidence: dict[str, Any]


class RunHealth(TypedDict):
    """What a run's last steps raise; `on` names the alarms that are on at the last of them."""

    run_id: str
    owner: str | None
    first_step: int | None
    last_step: int | None
    steps: int
    on: list[str]
    alarms: list[AlarmSpan]


class GroupRow(TypedDict):
    """A logged group; `id` is `<request_id>.<group index>`."""

    id: str
    request_id: str
    run_id: str | None
    step: int | None
    spec_hash: str
    created_at: str
    prompt_hash: str
    language: str | None
    pass_rates: list[float | None]
    rewards: list[float | None]
    result: GroupResult


class StoredVerdict(TypedDict):
    """One generation of a group; `order[k]` is the rollout shown under letter k."""

    group_id: str
    comparison: int
    sample: int
    order: list[int]
    letter: str | None
    scores: list[float] | None
    status: str | None
    error: str | None
    finish_reason: str | None
    prompt_tokens: int
    completion_tokens: int
    latency_ms: float
