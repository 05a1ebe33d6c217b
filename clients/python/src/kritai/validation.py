"""Validation samples, distinguished from training's by a field of the row, and the size of their
groups. The server decides what can be scored: a single sample is sent as a group of one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from kritai.gather import environment_gather
from kritai.near_names import refuse_near
from kritai.reply_types import RolloutResult
from kritai.serial_steps import refuse_event_loop
from kritai.stated_facts import Stated

VERL_KEYWORDS = (
    *("components", "deadline_ms", "fallback", "group_size", "prompt_key", "run_id"),
    *("spec", "timeout_s", "val_group_size", "window_s"),
)

TRAINING = frozenset({"train", "training"})


def is_validation(row: Any) -> bool:
    """Whether a row is for validation, by its `split`, in the row or in its `extra_info`, which verl's
    and SkyRL's preparation scripts write."""
    for place in (row, row.get("extra_info") if isinstance(row, Mapping) else None):
        split = place.get("split") if isinstance(place, Mapping) else None
        if isinstance(split, str):
            return split.lower() not in TRAINING
    return False


def environment_result(
    row: Any, prompt: object, action: object, declared: str | None
) -> tuple[RolloutResult, float | None]:
    """A step of SkyRL's environment, awaited until its group is scored, and the number to give when it
    has no score. The row states the facts that the spec needs of the problem."""
    fallback = None if declared is None else float(declared)
    size = environment_size(row)
    if size > 1:
        refuse_event_loop()
    return environment_gather(size, "skyrl").submit(prompt, action, stated=Stated.of_row(row)).result(), fallback


def environment_size(row: Any) -> int:
    """KRITAI_GROUP_SIZE (required); for a validation sample KRITAI_VAL_GROUP_SIZE (1)."""
    return int(os.environ.get("KRITAI_VAL_GROUP_SIZE", "1") if is_validation(row) else os.environ["KRITAI_GROUP_SIZE"])


def group_size(given: Mapping[str, Any], row: Any) -> int:
    """The group size from a call's keywords: `group_size`, in validation `val_group_size`, by default
    1. Raises ValueError without `group_size` in training and for one that is not a whole number from 1,
    TypeError for a keyword that is nearly one of verl's shims', and for a spec given in full."""
    refuse_near(given, VERL_KEYWORDS, "reward_kwargs.")
    if not isinstance(given.get("spec", ""), str):
        raise TypeError(
            "reward_kwargs.spec must be the name of a stored spec: store yours with PUT /v1/specs/mine, and set spec=mine"
        )
    if is_validation(row):
        return _size("val_group_size", given.get("val_group_size", 1))
    if "group_size" not in given:
        raise ValueError("reward_kwargs.group_size is missing: the rollouts of a prompt, which are judged together")
    return _size("group_size", given["group_size"])


def _size(name: str, value: Any) -> int:
    whole = str(value)
    if not (whole.isdecimal() and int(whole) > 0):
        raise ValueError(
            f"reward_kwargs.{name} is {value!r}; it must be a whole number from 1: "
            f"set it to verl's {'val_kwargs.n' if name == 'val_group_size' else 'rollout.n'}"
        )
    return int(whole)
