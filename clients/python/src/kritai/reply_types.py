"""The shapes of replies, as in the server's OpenAPI document, and a whole call's rewards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from kritai.request_types import AnySpec
from kritai.verifier_types import Asked, VerifierUse

Logged = bool | Literal["queued"]


Components = dict[str, float | None]
"""Each signal's value by its name; `base`, `format` and `overlong` for a spec without signals."""


class _SignalErrors(TypedDict, total=False):
    """For a spec with signals: by a signal's name, why it has no value, and its further results."""

    errors: dict[str, str | None]
    details: dict[str, dict[str, Any]]


class _Unasked(TypedDict, total=False):
    """For a spec whose schedule or budget may leave pairs out: the number left out."""

    unasked: int


class _TooLong(TypedDict, total=False):
    """Present where the text is longer than the server's rollout_text_bytes: the rollout is
    malformed."""

    too_long: Literal[True]


class _Missing(TypedDict, total=False):
    """Present where `reward` is None: whether the same request may bring one another time."""

    retryable: bool


class _Shown(TypedDict, total=False):
    """For a rollout of several turns: the share of its characters, thoughts apart, that the verifier saw,
    and the number that it did not see, by kind."""

    shown: float
    left_out: dict[str, int]


class RolloutResult(_SignalErrors, _Unasked, _TooLong, _Missing, _Shown):
    """`reward` is None exactly when `error` names why; the counts are over the other rollouts of
    the group.

    `format_ok` is None only in groups that were never answered (`on_failure="null"`).
    """

    reward: float | None
    error: str | None
    components: Components
    wins: int
    losses: int
    ties: int
    undecided: int
    forfeits: int
    unparsed: int
    votes: int | None
    rank: int | None
    duplicate_of: int | None
    format_ok: bool | None
    jams_judge: bool


class _Measures(TypedDict, total=False):
    """For a spec that leaves pairs out, grades outcomes, scores by more than wins, or has signals."""

    parts_correlation: float | None
    cyclic: bool
    agreement: float | None
    tie_rate: float | None
    decided_rate: float | None


class GroupMetrics(_Measures):
    parse_rate: float | None
    tau_b: float | None
    tau_b_undefined: str | None
    list_acc: bool | None
    position_flip_rate: float | None
    reward_mean: float | None
    reward_std: float | None


class _Points(TypedDict, total=False):
    """Wins, halves of ties and soft outcomes on the scale of all n - 1 pairs."""

    points: list[float | None]


class _Gathered(TypedDict, total=False):
    """For a group that came rollout by rollout (`client.group`): the position of each place of
    `rollouts` in it, and the number of generations asked before the group was complete."""

    positions: list[int]
    early: int


class GroupResult(_Points, _Gathered):
    group_id: str
    status: Literal["ok", "partial", "failed"]
    win_counts: list[int | None]
    selected: int | None
    selected_tied: list[int]
    rollouts: list[RolloutResult]
    metrics: GroupMetrics
    verifier: VerifierUse


class BatchMetrics(TypedDict):
    parse_rate: float | None
    tau_b_mean: float | None
    tau_b_undefined: int
    list_acc: float | None
    reward_mean: float | None
    reward_std: float | None


class Timing(TypedDict):
    total: float
    verifier: float
    overhead: float


Columns = dict[str, list[list[float | None]]]
"""Each signal's values by its name (or `base`, `format`, `overlong`), shaped as `rewards`."""


class AuditUse(Asked):
    """An audit's use, apart from all other counts, and how far it agrees. `groups` were to be
    audited, `audited` of them were whole; `correlation` is Spearman's, of reward and audit."""

    groups: int
    audited: int
    correlation: float | None


class CostUse(TypedDict):
    """`calls`: requests to verifiers, an audit's apart. `prompt_tokens`: input tokens, an audit's included.
    `usd`: US dollars by the server's PRICES, None where `unpriced_tokens` of a model without a price were
    used."""

    calls: int
    prompt_tokens: int
    usd: float | None
    unpriced_tokens: int


class _OfSignals(TypedDict, total=False):
    """Members of a spec with signals (`reward_range`, and `signals`: each one's own measurements), of a
    spec with an audit (`audit`), of a call that asked for columns (`columns`), and of a server that
    knows prices (`cost`)."""

    reward_range: list[float]
    signals: dict[str, dict[str, float | None]]
    columns: Columns
    audit: AuditUse
    cost: CostUse


class _RewardsTail(_OfSignals):
    request_id: str
    run_id: str | None
    step: int | None
    spec_hash: str
    metrics: BatchMetrics
    timing_ms: Timing
    logged: Logged
    warnings: list[str]


class RewardsReply(_RewardsTail):
    """One reply of POST /v1/rewards."""

    rewards: list[list[float | None]]
    groups: list[GroupResult]


class GroupEvent(GroupResult):
    """A group as it finished; `index` is its place among the groups of the call."""

    type: Literal["group"]
    index: int


class DoneEvent(_RewardsTail):
    """The end of one request of the stream; `metrics` are over that request's groups."""

    type: Literal["done"]


RewardsEvent = GroupEvent | DoneEvent


@dataclass(frozen=True)
class Rewards:
    """The rewards of a call, in the order of its groups and rollouts, however many requests it
    took.

    rewards: groups x rollouts; None for a missing score, with the code in
        `groups[g]["rollouts"][r]["error"]`.
    metrics: over all groups, by the server's own rules.
    request_ids: of the requests that were answered; each finds its groups in the run log.
    logged: whether all of them are in the run log, "queued" when the last of it is on its way.
    spec_hash: None only when no request was answered (`on_failure="null"`).
    columns: each signal's values, shaped as `rewards`; None unless asked for by `columns`, with None
        for a missing value. Without any answered request it is empty.
    reward_range: the proved bounds of every reward, for a spec with signals; else None.
    audit: the audit's use, for a spec that has one, summed over the requests, so that a group that
        was asked for again counts again; its `correlation` is the mean of theirs, each weighted by
        the groups that it audited. None where no answered request has one.
    cost: for a server that knows prices, summed over the requests; else None. Its `usd` is None where
        some group has no answer, since that may have cost something.
    """

    rewards: list[list[float | None]]
    groups: list[GroupResult]
    metrics: BatchMetrics
    spec_hash: str | None
    request_ids: list[str]
    logged: Logged
    warnings: list[str]
    columns: Columns | None = None
    reward_range: tuple[float, float] | None = None
    audit: AuditUse | None = None
    cost: CostUse | None = None

    @property
    def flat(self) -> list[float | None]:
        """All rewards in one list, group after group."""
        return [reward for row in self.rewards for reward in row]


class StoredSpec(TypedDict):
    name: str
    spec_hash: str
    spec: AnySpec
