"""Owns which of two completions is the better one, from their comparison. Knows no tool."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from kritai.client import Kritai
from kritai.columns import prompt_key, prompt_of, rollouts_of, win_share
from kritai.errors import NoScore, Problem
from kritai.reply_types import RolloutResult
from kritai.request_types import Group, Prompt, Rollout

PAIR = 2


def compared_pairs(
    client: Kritai, prompts: Sequence[object], pairs: Sequence[Sequence[object]], **options: Any
) -> list[tuple[Group, list[RolloutResult]]]:
    """Each pair as a group of its own, and what came of it, asked again until `timeout_s`. Raises
    ValueError for more completions of a prompt than two."""
    if any(len(pair) != PAIR for pair in pairs):
        raise ValueError("a pairwise judge compares two completions of each prompt")
    groups: list[Group] = [
        {"prompt": prompt_of(prompt, f"prompts[{at}]"), "rollouts": rollouts_of(list(pair))}
        for at, (prompt, pair) in enumerate(zip(prompts, pairs, strict=True))
    ]
    result = client.rewards(groups, **{"on_failure": "null", "patient": True, **options})
    return list(zip(groups, (group["rollouts"] for group in result.groups), strict=True))


def better_of(group: Group, rows: Sequence[RolloutResult]) -> int | None:
    """0 or 1; None where one of them has no reward. Equal ones are told apart by their texts, never by
    their places."""
    first, second = (row["reward"] for row in rows)
    if first is None or second is None:
        return None
    return int(second > first) if first != second else _by_text(group["prompt"], group["rollouts"])


def preference_of(rows: Sequence[RolloutResult]) -> float | None:
    """How surely the first is better, 0 to 1: its share of the comparisons; where nothing was compared 0,
    0.5 or 1 by their rewards. None where one of them has no reward."""
    first, second = (row["reward"] for row in rows)
    if first is None or second is None:
        return None
    if rows[0]["wins"] + rows[0]["losses"] + rows[0]["ties"] > 0:
        return win_share(rows[0])
    return 0.5 + ((first > second) - (first < second)) / 2


def _by_text(prompt: Prompt, rollouts: Sequence[Rollout]) -> int:
    """As a fair coin falls, the same for the same texts in whatever order. Of equal texts either will do."""
    key = prompt_key(prompt)
    first, second = (_digest(key + "\0" + said_by(rollout)) for rollout in rollouts)
    return int(second < first) if first != second else first[0] & 1


def said_by(rollout: Rollout) -> str:
    return rollout["text"] if "text" in rollout else json.dumps(rollout.get("messages"), sort_keys=True)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def known(
    values: Sequence[float | None], pairs: Sequence[Sequence[RolloutResult]], fallback: float | None
) -> list[float]:
    """The values, the fallback for what is missing. Raises NoScore where there is none, with the first
    code."""
    missing = [at for at, value in enumerate(values) if value is None]
    if missing and fallback is None:
        code = next((row["error"] for row in pairs[missing[0]] if row["error"] is not None), "no_score")
        detail = (
            f"{len(missing)} of {len(values)} pairs could not be judged (the first: {code}), and TRL's trainers would "
            "take -1 for a win of the second; name a fallback of your own, or mend what the code says"
        )
        raise NoScore(Problem(code, detail, retryable=True))
    return [fallback if value is None else value for value in values]  # type: ignore[misc]
