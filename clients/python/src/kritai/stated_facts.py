"""Owns what a dataset's label says of a problem, as the facts that a spec needs of a group: read as
the server reads it on routes of one sample (docs/integrations/gathering.md). Knows no tool."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from kritai.async_client import AsyncKritai
from kritai.errors import InvalidRequest
from kritai.reply_types import Rewards
from kritai.request_types import Group

DEPTH_MAX = 128
"""The server's `label_depth_max`."""

TRUTHS = ("ground_truth", "expected_answer", "answer", "reference", "solution", "label", "target")
"""Fields of a row that hold the right answer, in the order in which they are looked for."""

_MISSING = re.compile(r"^groups\[\d+\]\.(rollouts\[\d+\]\.)?(\w+)")

_needed: dict[str, frozenset[tuple[bool, str]]] = {}
"""By a stored spec's name what it was seen to need: (of a rollout, the fact's name)."""


def plain(value: Any, depth: int = DEPTH_MAX) -> Any:
    """A label as JSON holds it, numpy's numbers and arrays too. What JSON has no form of, or what
    nests deeper than the server takes, is None."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(name): plain(each, depth - 1) for name, each in value.items()} if depth > 0 else None
    if isinstance(value, (list, tuple)):
        return [plain(each, depth - 1) for each in value] if depth > 0 else None
    return plain(value.tolist(), depth) if hasattr(value, "tolist") else None


async def rewards_by_labels(
    client: AsyncKritai, groups: Sequence[Group], labels: Sequence[object], **options: Any
) -> Rewards:
    """The groups' rewards, each group with what its label says of the facts that the spec needs; no
    other is sent, so that none can do harm. Options: those of `rewards`. Raises KritaiError,
    `facts_required` where a label does not say what the spec needs.

    What a spec needs is learnt from the server's refusal, which costs nothing, and is kept by the
    spec's name. Writes the facts into `groups`.
    """
    spec = options.get("spec", "default")
    sent = _needed.get(spec, frozenset()) if isinstance(spec, str) else frozenset()
    while True:
        for group, label in zip(groups, labels, strict=True):
            _state(cast("dict[str, Any]", group), plain(label), sent)
        try:
            return await client.rewards(groups, **options)
        except InvalidRequest as refused:
            paths = [_MISSING.match(fault.path) for fault in refused.errors]
            needed = sent | {(path[1] is not None, path[2]) for path in paths if path is not None}
            if refused.code != "facts_required" or needed == sent:
                raise
            sent = needed
            if isinstance(spec, str):
                _needed[spec] = _needed.get(spec, frozenset()) | needed


def _state(group: dict[str, Any], label: Any, names: frozenset[tuple[bool, str]]) -> None:
    for of_rollout, name in names:
        if (value := fact_in(label, name)) is None:
            continue
        for place in group["rollouts"] if of_rollout else [group]:
            place.setdefault(name, value)
    if "reference" in group and (kind := fact_in(label, "answer_type")) is not None:
        group.setdefault("answer_type", kind)


def fact_in(label: Any, name: str) -> Any:
    """A fact that a label states, as JSON; None where it states none."""
    opened = _opened(label)
    row: Mapping[str, Any] = opened if isinstance(opened, dict) else {}
    if name == "reference":
        stated = _answer_in(row.get("reference"))
        return _answer_in(label) if stated is None else stated
    if name == "item":
        return {field: each for field, each in {**row, "label": label}.items() if not field.startswith("_")}
    if name == "test_cases":
        places = (row.get("test_cases"), row.get("unit_tests"), label, row.get("ground_truth"))
        return next((cases for cases in map(_cases_in, places) if cases is not None), None)
    return row.get(name)


def _opened(value: Any) -> Any:
    """A text that is a JSON object or list, as what it holds; any other value as it is."""
    if not isinstance(value, str) or re.match(r"\s*[\[{]", value) is None:
        return value
    try:
        return plain(json.loads(value))
    except (ValueError, RecursionError):
        return value


def _answer_in(value: Any) -> str | list[str] | None:
    """A right answer, or several, as texts."""
    if isinstance(value, str):
        inner = _opened(value)
        answer = _answer_in(inner) if isinstance(inner, dict) else None
        return answer if answer is not None else value if value.strip() else None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return str(int(value)) if value == int(value) else str(value)
    if isinstance(value, list):
        answers = [None if isinstance(each, (dict, list)) else _answer_in(each) for each in value]
        texts = [answer for answer in answers if isinstance(answer, str)]
        return texts if texts and len(texts) == len(value) else None
    if not isinstance(value, dict):
        return None
    stated = (_answer_in(value.get(name)) for name in TRUTHS if not isinstance(value.get(name), dict))
    return next((answer for answer in stated if answer is not None), None)


def _cases_in(value: Any) -> Any:
    """Inputs and outputs of programs, in the forms in which datasets of code hold them."""
    held = _opened(value)
    if isinstance(held, dict):
        inputs, outputs = held.get("inputs"), held.get("outputs")
        # A function that is called by its name has no standard input.
        if not isinstance(inputs, list) or not isinstance(outputs, list) or held.get("fn_name") is not None:
            return None
        if len(inputs) != len(outputs):
            return None
        return [{"stdin": stdin, "stdout": stdout} for stdin, stdout in zip(inputs, outputs, strict=True)]
    return [_case(each) for each in held] if isinstance(held, list) else None


def _case(one: Any) -> Any:
    if not isinstance(one, dict) or "output" not in one or "stdout" in one:
        return one
    rest = {name: each for name, each in one.items() if name not in ("input", "output")}
    given = {"stdin": one["input"]} if "input" in one else {}
    return {**rest, **given, "stdout": one["output"]}
