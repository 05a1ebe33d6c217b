"""Owns the shapes of what comes back of verdict texts and of evaluations, as in the server's OpenAPI
document. Knows no transport."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict


class VerdictComponents(TypedDict):
    content: float
    format: float
    overlong: float


class VerdictResult(TypedDict):
    reward: float
    components: VerdictComponents
    verdict: str | None
    scores: list[float] | None
    status: str


class VerdictMetrics(TypedDict):
    parse_rate: float
    accuracy: float | None
    reward_mean: float
    reward_std: float


@dataclass(frozen=True)
class Verdicts:
    """The rewards of verdict texts, in the order of the items, however many requests it took."""

    rewards: list[float]
    items: list[VerdictResult]
    metrics: VerdictMetrics
    request_ids: list[str]
    warnings: list[str]


class Estimate(TypedDict):
    mean: float | None
    ci95: list[float] | None
    n: int


class TauEstimate(Estimate):
    undefined: int
    mean_zero: float | None
    mean_minus_one: float | None


class EvaluationSummary(TypedDict):
    list_acc: Estimate
    tau_b: TauEstimate
    parse_rate: Estimate


class EvaluationsReply(EvaluationSummary):
    """The reply of POST /v1/evaluations. tau-b is never to be read without the parse rate."""

    request_id: str
    lists: int
    by_tag: dict[str, dict[str, EvaluationSummary]]
    warnings: list[str]
