"""Owns telling a validation sample from a training one, and what is said of one that has no group.
Knows no tool."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from kritai.errors import KritaiError, Problem
from kritai.gather import environment_gather
from kritai.merging import unanswered
from kritai.reply_types import RolloutResult
from kritai.serial_steps import refuse_event_loop
from kritai.stated_facts import Stated

TRAINING = frozenset({"train", "training"})


def is_validation(row: Any) -> bool:
    """By the dataset's own word: `split`, in the row or in its `extra_info`, which verl's and
    SkyRL's preparation scripts write."""
    for place in (row, row.get("extra_info") if isinstance(row, Mapping) else None):
        split = place.get("split") if isinstance(place, Mapping) else None
        if isinstance(split, str):
            return split.lower() not in TRAINING
    return False


_NOBODY = KritaiError(Problem("group_too_small", "a validation sample alone has nothing to be compared with"))

_GROUP = unanswered({"prompt": "", "rollouts": [{"text": ""}]}, "0", _NOBODY)

ALONE: RolloutResult = _GROUP["rollouts"][0]
"""A sample of a group of one: no reward, no comparison."""


def environment_result(
    row: Any, prompt: object, action: object, declared: str | None
) -> tuple[RolloutResult, float | None]:
    """An environment's step, waited for until its group is scored, and the number to give when it
    has no score. The row states what the spec needs of the problem."""
    fallback = None if declared is None else float(declared)
    stated = Stated.of_row(row)
    if not is_validation(row):
        refuse_event_loop()
        return environment_gather().submit(prompt, action, stated=stated).result(), fallback
    if os.environ.get("KRITAI_VAL_GROUP_SIZE", "1") == "1":
        return ALONE, 0.0
    refuse_event_loop()
    return environment_gather("KRITAI_VAL_GROUP_SIZE").submit(prompt, action, stated=stated).result(), fallback


def environment_size(row: Any) -> int:
    """Of KRITAI_GROUP_SIZE (needed), for a validation sample of KRITAI_VAL_GROUP_SIZE (1)."""
    return int(os.environ.get("KRITAI_VAL_GROUP_SIZE", "1") if is_validation(row) else os.environ["KRITAI_GROUP_SIZE"])


def group_size(given: Mapping[str, Any], row: Any) -> int:
    """Of a call's keywords: `group_size`, in validation `val_group_size`, by default 1. Raises
    ValueError where it is not named."""
    if is_validation(row):
        return int(given.get("val_group_size", 1))
    if "group_size" not in given:
        raise ValueError("reward_kwargs.group_size is missing: the rollouts of a prompt, which are judged together")
    return int(given["group_size"])
