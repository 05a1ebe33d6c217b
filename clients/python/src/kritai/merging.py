"""Merges the replies of one call: checks, order, metrics by the server's rules, and groups that were
never answered."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, cast

from kritai.errors import BadReply, KritaiError, Problem
from kritai.reply_fields import as_fields
from kritai.reply_types import (
    AuditUse,
    BatchMetrics,
    Columns,
    CostUse,
    GroupResult,
    Logged,
    Rewards,
    RewardsReply,
    RolloutResult,
)
from kritai.request_types import Group, VerdictItem
from kritai.reward_warnings import warn_of
from kritai.verdict_types import VerdictMetrics, VerdictResult, Verdicts


def bad_reply(detail: str, request_id: str | None = None) -> BadReply:
    return BadReply(Problem("bad_reply", detail, request_id=request_id))


def is_score(value: object) -> bool:
    """Whether a value is a finite number; booleans are not."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def check_group(group: GroupResult, rollouts: int) -> None:
    """Raises BadReply unless the group has one reward a rollout, each a finite number, or None with
    a code."""
    results: Any = group.get("rollouts")
    if not isinstance(results, list) or len(results) != rollouts:
        raise bad_reply(f"a group of {rollouts} rollouts came back with another number")
    for result in results:
        if not (is_score(result["reward"]) or (result["reward"] is None and isinstance(result["error"], str))):
            raise bad_reply("a reward is neither a finite number nor null with a code")


def check_rewards(reply: RewardsReply, groups: Sequence[Group]) -> None:
    """Raises BadReply unless the reply has the request's groups in the request's order."""
    if len(reply["groups"]) != len(groups):
        raise bad_reply("the reply has another number of groups than the request", reply["request_id"])
    for result, group in zip(reply["groups"], groups, strict=True):
        check_group(result, len(group["rollouts"]))


def may_come(group: GroupResult) -> bool:
    """Whether a reward of the group is missing that the same request may bring another time."""
    return any(result.get("retryable", False) for result in group["rollouts"])


def unanswered(group: Group, group_id: str, error: KritaiError) -> GroupResult:
    """A group whose request failed: every reward None with the failure's code, every pair
    undecided."""
    others = len(group["rollouts"]) - 1
    labelled = all("pass_rate" in rollout for rollout in group["rollouts"])
    result: RolloutResult = {
        "reward": None,
        "error": error.code,
        "retryable": error.retryable,
        "components": {"base": None, "format": 0, "overlong": 0},
        "wins": 0,
        "losses": 0,
        "ties": 0,
        "undecided": others,
        "forfeits": 0,
        "unparsed": 0,
        "votes": None,
        "rank": None,
        "duplicate_of": None,
        "format_ok": None,
        "jams_judge": False,
    }
    made: GroupResult = {
        "group_id": group_id,
        "status": "failed",
        "win_counts": [None] * (others + 1),
        "selected": None,
        "selected_tied": [],
        "rollouts": [result.copy() for _ in group["rollouts"]],
        "metrics": {
            "parse_rate": None,
            "tau_b": None,
            "tau_b_undefined": "undecided" if labelled else "no_labels",
            "list_acc": None,
            "position_flip_rate": None,
            "reward_mean": None,
            "reward_std": None,
        },
        "verifier": {
            "comparisons": 0,
            "generations": 0,
            "parsed": 0,
            "unparsed": 0,
            "failed": 0,
            "saved": 0,
            "prompt_tokens": 0,
            "completion_tokens": 0,
            "latency_ms": {"p50": 0, "p99": 0, "max": 0},
        },
    }
    return cast("GroupResult", as_fields(made))


Answer = tuple[Sequence[int], RewardsReply]
"""A reply, and the indices of its groups in the call, in the reply's order."""


def merged_rewards(groups: list[GroupResult], answers: Sequence[Answer], *, columns: bool) -> Rewards:
    """All groups of a call, in its order, with the replies that brought them: some groups in several
    where they were asked again. `columns`: whether they were asked for."""
    replies = [reply for _, reply in answers]
    answered = len({at for places, _ in answers for at in places})
    whole = len(replies) == 1 and answered == len(groups)
    said = sorted({warning for reply in replies for warning in reply["warnings"]})
    warn_of(said)
    return Rewards(
        rewards=[[_number(result["reward"]) for result in group["rollouts"]] for group in groups],
        groups=groups,
        metrics=replies[0]["metrics"] if whole else batch_metrics(groups),
        spec_hash=replies[0]["spec_hash"] if replies else None,
        request_ids=[reply["request_id"] for reply in replies],
        logged=_all_logged([reply["logged"] for reply in replies]) if answered == len(groups) else False,
        warnings=said,
        columns=_merged_columns(groups, answers) if columns else None,
        reward_range=_range_of(replies),
        audit=_audit_of(replies),
        cost=_cost_of(replies, complete=answered == len(groups)),
    )


def _merged_columns(groups: Sequence[GroupResult], answers: Sequence[Answer]) -> Columns:
    """Each signal's values over the call; for a group that was asked again, its last values. Raises
    BadReply for columns of another shape than the rewards, MissingField where they were asked for and
    did not come."""
    merged: Columns = {}
    for places, reply in answers:
        for name, column in reply["columns"].items():
            if [len(row) for row in column] != [len(groups[at]["rollouts"]) for at in places]:
                raise bad_reply(f"the column {name!r} has another shape than the rewards", reply["request_id"])
            if not all(value is None or is_score(value) for row in column for value in row):
                raise bad_reply(f"a value of the column {name!r} is no finite number", reply["request_id"])
            rows = merged.setdefault(name, [[None] * len(group["rollouts"]) for group in groups])
            for at, row in zip(places, column, strict=True):
                rows[at] = [_number(value) for value in row]
    return merged


def _range_of(replies: Sequence[RewardsReply]) -> tuple[float, float] | None:
    """The range that contains every reply's `reward_range`, also where a stored spec was changed
    between the requests; None without one."""
    ranges = [reply["reward_range"] for reply in replies if "reward_range" in reply]
    return (float(min(low for low, _ in ranges)), float(max(high for _, high in ranges))) if ranges else None


COUNTS = [name for name in AuditUse.__annotations__ if name != "correlation"]


def _audit_of(replies: Sequence[RewardsReply]) -> AuditUse | None:
    uses: list[Any] = [reply["audit"] for reply in replies if "audit" in reply]
    if len(uses) < 2:
        return uses[0] if uses else None
    told = [(use["correlation"], use["audited"]) for use in uses if use["correlation"] is not None]
    weight = sum(audited for _, audited in told)
    correlation = sum(value * audited for value, audited in told) / weight if weight else None
    summed = {name: sum(use[name] for use in uses) for name in COUNTS}
    return cast("AuditUse", as_fields({**summed, "correlation": correlation}))


def _cost_of(replies: Sequence[RewardsReply], *, complete: bool) -> CostUse | None:
    costs = [reply["cost"] for reply in replies if "cost" in reply]
    if not costs:
        return None
    dollars = [cost["usd"] for cost in costs if cost["usd"] is not None]
    known = complete and len(dollars) == len(replies)
    summed: CostUse = {
        "calls": sum(cost["calls"] for cost in costs),
        "prompt_tokens": sum(cost["prompt_tokens"] for cost in costs),
        "usd": sum(dollars) if known else None,
        "unpriced_tokens": sum(cost["unpriced_tokens"] for cost in costs),
    }
    return cast("CostUse", as_fields(summed))


def _number(value: float | None) -> float | None:
    return None if value is None else float(value)


def _all_logged(values: Sequence[Logged]) -> Logged:
    if not all(values):
        return False
    return "queued" if "queued" in values else True


def batch_metrics(groups: Sequence[GroupResult]) -> BatchMetrics:
    """Means over the groups in which each metric is defined; parse rate over all answers, rewards
    over the complete groups' together."""
    taus = [tau for group in groups if (tau := group["metrics"]["tau_b"]) is not None]
    hits = [float(hit) for group in groups if (hit := group["metrics"]["list_acc"]) is not None]
    parsed = sum(group["verifier"]["parsed"] for group in groups)
    read = parsed + sum(group["verifier"]["unparsed"] for group in groups)
    complete = [group for group in groups if group["status"] == "ok"]
    rewards = [float(r["reward"]) for group in complete for r in group["rollouts"] if r["reward"] is not None]
    undefined = [group["metrics"]["tau_b_undefined"] for group in groups]
    return {
        "parse_rate": parsed / read if read else None,
        "tau_b_mean": mean(taus),
        "tau_b_undefined": sum(reason not in (None, "no_labels") for reason in undefined),
        "list_acc": mean(hits),
        "reward_mean": mean(rewards),
        "reward_std": _population_std(rewards),
    }


def mean(values: Sequence[float]) -> float | None:
    """Arithmetic mean; None for no values."""
    return sum(values) / len(values) if values else None


def _population_std(values: Sequence[float]) -> float | None:
    centre = mean(values)
    return None if centre is None else math.sqrt(sum((value - centre) ** 2 for value in values) / len(values))


def merged_verdicts(items: Sequence[VerdictItem], replies: Sequence[dict[str, Any]]) -> Verdicts:
    """The replies of POST /v1/verdicts in the order of the items; one reply's metrics as they are,
    several replies' over all items."""
    results: list[VerdictResult] = [result for reply in replies for result in reply["items"]]
    if len(results) != len(items) or not all(is_score(result["reward"]) for result in results):
        raise bad_reply("the reply has another number of rewards than the request has items")
    metrics: VerdictMetrics = replies[0]["metrics"] if len(replies) == 1 else _verdict_metrics(items, results)
    return Verdicts(
        rewards=[float(result["reward"]) for result in results],
        items=results,
        metrics=metrics,
        request_ids=[str(reply["request_id"]) for reply in replies],
        warnings=sorted({warning for reply in replies for warning in reply["warnings"]}),
    )


def _verdict_metrics(items: Sequence[VerdictItem], results: Sequence[VerdictResult]) -> VerdictMetrics:
    rewards = [float(result["reward"]) for result in results]
    golds = [right_verdict(item) for item in items]
    hits = [float(r["verdict"] == gold) for r, gold in zip(results, golds, strict=True) if gold is not None]
    return {
        "parse_rate": sum(result["status"] == "ok" for result in results) / len(results),
        "accuracy": mean(hits),
        "reward_mean": sum(rewards) / len(rewards),
        "reward_std": _population_std(rewards) or 0.0,
    }


def right_verdict(item: VerdictItem) -> str | None:
    """The letter of `correct`, else of the one highest pass rate; None when that is shared."""
    correct = item.get("correct")
    rates = list(item.get("pass_rates", ()))
    if correct is None:
        best = _positions(rates, max(rates))
        correct = best[0] if len(best) == 1 else None
    return None if correct is None else _letter(correct)


def _letter(place: int) -> str:
    return chr(ord("A") + place)


def _positions(values: Iterable[float], wanted: float) -> list[int]:
    return [at for at, value in enumerate(values) if value == wanted]
