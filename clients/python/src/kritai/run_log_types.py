"""The shapes of the run log's rows, as in the server's OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypedDict

from kritai.reply_types import GroupResult

ExportTable = Literal["groups", "verdicts", "audit_verdicts", "texts", "signals", "turns", "pairs", "positives"]


class TrainingRows(TypedDict, total=False):
    """Options that select pairs or positives of a run."""

    margin: float
    least: float
    per_group: int
    per_prompt: int
    form: Literal["messages", "text"]


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
    prompt_tokens: int
    completion_tokens: int


RunMetadata = Mapping[str, str | float | bool | None]
"""A run's metadata: flat, at most 64 names of 64 characters, texts of at most 4,096."""


class DeletedRun(TypedDict):
    """The deleted parts of a run: rows by table, and entries of further stores, by kind."""

    run_id: str
    owner: str | None
    before: str
    complete: bool
    deleted: dict[str, int]


class StepSignal(TypedDict):
    """A signal at a step: the mean of its values, and those missing, by code."""

    mean: float | None
    rollouts: int
    nulls: dict[str, int]


class _WithSignals(TypedDict, total=False):
    signals: dict[str, StepSignal]


class _ShownMean(TypedDict, total=False):
    """For a step with rollouts of several turns: the mean share of them that verifiers saw."""

    shown_mean: float


class _Usd(TypedDict, total=False):
    """For a step whose questions all have a known price: their cost in US dollars."""

    usd: float


class StepRow(_WithSignals, _ShownMean, _Usd):
    """A step; `signals` only when asked for."""

    step: int | None
    first_at: str
    last_at: str
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
    """Steps during which an alarm was on; `to_step` is None while it still is. What to do:
    docs/alarms.md."""

    alarm: str
    level: Literal["watch", "alarm"]
    from_step: int
    to_step: int | None
    says: str
    evidence: dict[str, Any]


class RunHealth(TypedDict):
    """The alarms of a run's last steps; `on` names those that are on at the last of them, `looked_at`
    those that had data to look at."""

    run_id: str
    owner: str | None
    first_step: int | None
    last_step: int | None
    steps: int
    on: list[str]
    looked_at: list[str]
    alarms: list[AlarmSpan]

    """A run beside another over the last steps that both have; `tau_b` where labels came."""


class _Audited(TypedDict, total=False):
    """For a group that was audited: the score of each rollout by the audit's judge."""

    audit: list[float | None]


class _Turned(TypedDict, total=False):
    """For a group with agents' runs: how many turns each rollout has, None for a text."""

    turns: list[int | None]


class _Prompted(TypedDict, total=False):
    """For a group whose prompt is stored (`log_texts`): its first words."""

    prompt_begins: str


class GroupRow(_Audited, _Turned, _Prompted):
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
    length_tokens: list[int | None]
    finish_reasons: list[str | None]
    rewards: list[float | None]
    result: GroupResult


class _VerdictRow(TypedDict):
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


class StoredVerdict(_VerdictRow, total=False):
    """One generation of a group; `order[k]` is the rollout shown under letter k, and `turns[k]` the turn of
    it that the verdict names, None where it names none."""

    turns: list[int | None]
    text: str


class AuditVerdict(_VerdictRow, total=False):
    """One generation of an audit; no reward depends on it."""

    text: str


class RescoredGroup(TypedDict):
    """A logged group under another spec: `old` are the rewards as they were logged, `columns` each
    signal's values."""

    type: Literal["group"]
    group_id: str
    step: int | None
    rewards: list[float | None]
    errors: list[str | None]
    columns: dict[str, list[float | None]]
    old: list[float | None]


class RescoreSummary(TypedDict):
    """The totals of all groups of a rescoring; all but `nulls` over those that are complete under both
    specs."""

    type: Literal["end"]
    spec_hash: str
    groups: int
    rollouts: int
    complete: int
    old: dict[str, float | None]
    new: dict[str, float | None]
    rank_correlation: dict[str, Any]
    best_changed_share: float | None
