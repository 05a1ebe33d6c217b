"""The translation between trainers' columns (a prompt and a completion a row) and groups."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from kritai.content import answer_faults, chat_faults, judged_at, media_of, not_inline, refuse, text_of
from kritai.reply_types import Rewards, RolloutResult
from kritai.request_types import Group, Message, Prompt, Rollout

_TURN = ("role", "content", "reasoning_content", "tool_calls", "tool_call_id", "name")
"""Fields of a message that a prompt with calls takes."""


def prompt_of(prompt: object, place: str = "prompt") -> Prompt:
    """A prompt as the server takes it: text, or messages with role and text, and with any calls; empty
    fields are left out. Raises UnsupportedContent for content that the verifier is not shown."""
    if not isinstance(prompt, (list, tuple)):
        return str(prompt)
    faults = list(chat_faults(prompt, place))
    if faults:
        refuse(fault for fault in not_inline(faults) if not fault.path.endswith("].tool_calls"))
        return [{name: m[name] for name in _TURN if m.get(name) is not None} for m in prompt]
    messages: list[Message] = [{"role": str(m["role"]), "content": text_of(m.get("content"))} for m in prompt]
    return messages


def rollout_of(completion: object, place: str = "completion") -> Rollout:
    """A completion as a rollout: the text of one answer, else all its messages. Raises UnsupportedContent
    for images, audio, video and files among them."""
    if not isinstance(completion, (list, tuple)) or not completion:
        return {"text": completion if isinstance(completion, str) else ""}
    messages = list(completion)
    faults = list(answer_faults(messages, place))
    if not faults:
        return {"text": text_of(messages[judged_at(messages)].get("content"))}
    refuse(media_of(faults))
    return {"messages": messages}


def run_start(chat: Sequence[Any]) -> int:
    """The index in a conversation where its last run begins: after the last message that is neither
    the policy's nor a tool's, before the policy's last; the same rule as the server's on `/evaluate`."""
    roles = [turn.get("role") for turn in chat]
    last = max((at for at, role in enumerate(roles) if role == "assistant"), default=len(chat) - 1)
    asked = [at for at, role in enumerate(roles[:last]) if role not in ("assistant", "tool", "function")]
    return max(asked, default=-1) + 1


def runs_of(chats: Sequence[Sequence[Any]], completions: Sequence[object]) -> tuple[list[Any], list[Any]]:
    """Conversations as their prompts and what is judged of each: its completion, or all of the run's
    turns when there are several."""
    starts = [run_start(chat) for chat in chats]
    said = [chat[start:] for chat, start in zip(chats, starts, strict=True)]
    judged = [text if len(run) <= 1 else list(run) for run, text in zip(said, completions, strict=True)]
    return [chat[:start] for chat, start in zip(chats, starts, strict=True)], judged


def prompt_key(prompt: Prompt) -> str:
    """Equal for equal prompts."""
    return json.dumps(prompt, sort_keys=True)


def groups_of(
    prompts: Sequence[object],
    rollouts: Sequence[Rollout],
    language: str | None = None,
    labels: Sequence[object] | None = None,
) -> tuple[list[Group], list[tuple[int, int]]]:
    """Rows as groups of equal prompts (and equal labels, as JSON, where those are given), in the
    order of their first rows; and each row's (group, rollout)."""
    index: dict[str, int] = {}
    members: list[list[Rollout]] = []
    shown: list[Prompt] = []
    places = []
    problems = [None] * len(prompts) if labels is None else labels
    for row, (raw, rollout, label) in enumerate(zip(prompts, rollouts, problems, strict=True)):
        prompt = prompt_of(raw, f"prompts[{row}]")
        key = prompt_key(prompt) + json.dumps(label, sort_keys=True)
        group = index.setdefault(key, len(index))
        if group == len(members):
            members.append([])
            shown.append(prompt)
        places.append((group, len(members[group])))
        members[group].append(rollout)
    groups: list[Group] = [{"prompt": p, "rollouts": r} for p, r in zip(shown, members, strict=True)]
    if language is not None:
        for each in groups:
            each["language"] = language
    return groups, places


def rollouts_of(
    completions: Sequence[object],
    completion_ids: Sequence[Sequence[Any]] | None = None,
    pass_rates: Sequence[float | None] | None = None,
) -> list[Rollout]:
    """Completions as rollouts, with their lengths in tokens when their ids are known (flat, or a
    list for each turn), and labels."""
    rollouts = [rollout_of(completion, f"completions[{row}]") for row, completion in enumerate(completions)]
    for at, rollout in enumerate(rollouts):
        if completion_ids is not None:
            ids = completion_ids[at]
            by_turn = len(ids) > 0 and isinstance(ids[0], list)
            rollout["length_tokens"] = sum(map(len, ids)) if by_turn else len(ids)
        if pass_rates is not None and (rate := pass_rates[at]) is not None:
            rollout["pass_rate"] = float(rate)
    return rollouts


def rows_of(result: Rewards, places: Sequence[tuple[int, int]]) -> list[RolloutResult]:
    """The results in the order of the rows."""
    return [result.groups[group]["rollouts"][rollout] for group, rollout in places]


def signals_of(result: Rewards) -> dict[str, float]:
    """Scalars for a trainer's metrics, always the same keys and always numbers."""
    rollouts = [rollout for group in result.groups for rollout in group["rollouts"]]
    generations = sum(group["verifier"]["generations"] for group in result.groups)
    unparsed = sum(group["verifier"]["unparsed"] for group in result.groups)
    return {
        "kritai/no_score": _share(sum(r["reward"] is None for r in rollouts), len(rollouts)),
        "kritai/malformed": _share(sum(r["format_ok"] is False for r in rollouts), len(rollouts)),
        "kritai/unparsed": _share(unparsed, generations),
    }


def win_share(row: RolloutResult) -> float | None:
    """The share of a rollout's decided comparisons that it won, a tie counting half; where nothing was
    compared, its reward clipped to 0..1. None without a reward."""
    if row["reward"] is None:
        return None
    decided = row["wins"] + row["losses"] + row["ties"]
    if decided > 0:
        return float((row["wins"] + row["ties"] / 2) / decided)
    return min(1.0, max(0.0, row["reward"]))


def share_metrics(row: RolloutResult) -> dict[str, float]:
    """A row's metrics for trainers that take means over the rows that have one: without a reward no share."""
    share = win_share(row)
    return {"kritai_failed": 1.0} if share is None else {"win_share": share, "kritai_failed": 0.0}


def _share(count: int, of: int) -> float:
    return count / of if of else 0.0


def component_of(row: RolloutResult, name: str) -> float | None:
    """A row's value of one component (`base`, `format`, `overlong`, or a signal of the spec); None
    where there is none, and for every component of a group that was never answered.

    Raises ValueError for a component that the spec does not have.
    """
    if row["format_ok"] is None:
        return None
    values: Mapping[str, float | None] = row["components"]
    if name not in values:
        raise ValueError(f"the spec has no component {name!r}; there are {', '.join(sorted(values))}")
    value = values[name]
    return None if value is None else float(value)


def extras_of(rows: Sequence[RolloutResult]) -> dict[str, list[Any]]:
    """Columns for a trainer's table of completions, always the same keys, one value a row."""
    return {"kritai_error": [r["error"] for r in rows], "kritai_rank": [r["rank"] for r in rows]}
