"""The shapes of a reply's report on the verifier's work for a group, as in the server's OpenAPI
document."""

from __future__ import annotations

from typing import TypedDict


class Latency(TypedDict):
    p50: float
    p99: float
    max: float


class _Cut(TypedDict, total=False):
    deadline: int


class NotAsked(_Cut):
    """Generations that were not asked, by the reason; `deadline` counts comparisons that came too late,
    where `judge.min_decided` is below 1."""

    early_stop: int
    duplicate: int
    budget: int
    sure: int


class Chosen(TypedDict):
    """The choice of the score `auto` for a group."""

    score: str


class _Schedule(TypedDict, total=False):
    schedule: str | dict[str, object]
    chosen: Chosen
    models: list[str]
    why: NotAsked
    cut: int


class Asked(TypedDict):
    """A verifier's questions, and their results."""

    comparisons: int
    generations: int
    parsed: int
    unparsed: int
    failed: int
    saved: int
    prompt_tokens: int
    completion_tokens: int


class VerifierUse(Asked, _Schedule):
    latency_ms: Latency
