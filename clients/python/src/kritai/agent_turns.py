"""Converts an agent's run to messages, for tools that record calls, or actions and observations, and
gives the reward of each turn."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from kritai.content import is_nothing
from kritai.errors import NoScore, Problem
from kritai.reply_types import RolloutResult
from kritai.stated_facts import plain


def turn_rewards(row: RolloutResult, messages: object) -> list[float] | None:
    """One number for each of the policy's messages, from the first signal of the kind `steps`; None
    where the spec has none, or the run no reward. A message without text and calls does not count as a
    step: 0.0.

    Raises NoScore where a turn has no number, and ValueError where there are more or fewer steps.
    """
    details = row.get("details") or {}
    told = next((detail["steps"] for detail in details.values() if isinstance(detail.get("steps"), list)), None)
    if told is None or row["reward"] is None:
        return None
    run = messages if isinstance(messages, (list, tuple)) else [{"role": "assistant", "content": messages}]
    said = [_says(each) for each in run if isinstance(each, Mapping) and each.get("role") == "assistant"]
    if len(told) != sum(said):
        raise ValueError(f"{len(told)} steps were scored beside {sum(said)} turns of the policy: one each is needed")
    if any(value is None for value in told):
        raise NoScore(Problem("no_steps", "a turn of this run has no score", retryable=True))
    values = iter(told)
    return [float(next(values)) if says else 0.0 for says in said]


def _says(message: Mapping[str, Any]) -> bool:
    return not all(is_nothing(message.get(name)) for name in ("content", "tool_calls", "function_call"))


def _message_of(turn: object) -> dict[str, Any] | None:
    if hasattr(turn, "model_dump"):
        held: dict[str, Any] = turn.model_dump(exclude_none=True, exclude={"provider_state"})
        return held
    return turn if isinstance(turn, dict) else None


def run_of_trace(trace: Any) -> Any:
    """The policy's part of a verifiers' trace: all messages from its first on, else its last reply."""
    branches = getattr(trace, "branches", None)
    nodes = branches[-1].nodes if branches else []
    names = ("messages", "completion", "turns")
    held: Any = [node.message for node in nodes] or next(
        (each for name in names if (each := getattr(trace, name, None))), []
    )
    said = [message for turn in held if (message := _message_of(turn)) is not None]
    own = [node.sampled for node in nodes] or [message.get("role") == "assistant" for message in said]
    return said[own.index(True) :] if True in own else trace.last_reply


def written(value: object) -> str:
    """Strings as they are, anything else as JSON; values that JSON cannot hold as their `str`."""
    if isinstance(value, str):
        return value
    held = value.model_dump() if hasattr(value, "model_dump") else value
    known = plain(held)
    return str(held) if known is None and held is not None else json.dumps(known, ensure_ascii=False)


def call_of(name: str, arguments: object, call_id: str) -> dict[str, Any]:
    """A turn of the policy that calls something."""
    function = {"name": name, "arguments": written(arguments)}
    return {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": call_id, "type": "function", "function": function}],
    }


def result_of(result: object, call_id: str) -> dict[str, Any]:
    """A call's result as a message."""
    return {"role": "tool", "tool_call_id": call_id, "content": written(result)}


_BESIDE = frozenset(("metadata", "done", "reward"))
"""Fields of OpenEnv's actions and observations that are not what was done or seen."""


def _fields(model: object) -> dict[str, Any]:
    held = model.model_dump() if hasattr(model, "model_dump") else model
    known: Mapping[str, Any] = held if isinstance(held, Mapping) else vars(model)
    return {name: value for name, value in known.items() if name not in _BESIDE and value is not None}


def messages_of_steps(steps: Sequence[tuple[object, object]]) -> list[dict[str, Any]]:
    """Actions and the observation after each, as calls and their results. An action that names a tool
    becomes a call of that tool; any other becomes a call named after its class."""
    messages = []
    for at, (action, observation) in enumerate(steps):
        fields, call_id = _fields(action), str(at + 1)
        name = fields.get("tool_name") or type(action).__name__
        called = fields["arguments"] if "tool_name" in fields and "arguments" in fields else fields
        messages += [call_of(str(name), called, call_id), result_of(_fields(observation), call_id)]
    return messages
