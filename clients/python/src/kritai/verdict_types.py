"""The shapes of replies to verdict texts, as in the server's OpenAPI document."""

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
