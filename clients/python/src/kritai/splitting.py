"""Encodes groups and items, and cuts a batch over the server's limits."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from kritai.errors import FieldFault, InvalidRequest, Problem
from kritai.near_names import near
from kritai.request_types import AnySpec, Group, Rollout, VerdictItem
from kritai.thinking import drop_thinking
from kritai.too_long import within_reach

T = TypeVar("T")

TOO_MUCH = frozenset({"too_many_rollouts", "too_many_generations", "body_too_large"})
"""Refusals that smaller requests avoid; a proxy's bare 413 is `http_413`."""


@dataclass(frozen=True)
class Limits:
    """The limits of one request. The defaults are the server's; generations: of its `openai`
    verifier protocol."""

    parts: int = 256
    rollouts: int = 2048
    body_bytes: int = 18 * 1024 * 1024
    generations: int = 8192


@dataclass(frozen=True)
class Part:
    """A group or an item as it is sent, with its counts towards the limits."""

    body: bytes
    rollouts: int = 0
    generations: int = 0


def encode(value: object, path: str) -> bytes:
    """UTF-8 JSON. Lone surrogates, which UTF-8 cannot hold, are escaped. Raises InvalidRequest for NaN
    and for values that JSON does not have."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError) as fault:
        message = f"cannot be written as JSON ({type(fault).__name__})"
        raise invalid(path, message) from fault


def invalid(path: str, message: str) -> InvalidRequest:
    """A fault found by the client itself, in the form of the server's."""
    return InvalidRequest(Problem("invalid_request", f"{path}: {message}", errors=(FieldFault(path, message),)))


def group_parts(groups: Sequence[Group], spec: str | AnySpec, *, without_thinking: bool) -> list[Part]:
    """The groups as they are sent (too long rollouts cut to their head), each with a unique `group_id`
    (default: its index in the call, whichever request it is in)."""
    if not groups:
        raise invalid("groups", "at least one group is needed")
    seen: dict[str, int] = {}
    parts = []
    for index, group in enumerate(groups):
        group_id = group.get("group_id", str(index))
        if seen.setdefault(group_id, index) != index:
            raise invalid(
                f"groups[{index}].group_id", f"the same as that of groups[{seen[group_id]}] (default: the index)"
            )
        given = _rollouts_of(group, f"groups[{index}]")
        rollouts = [as_sent(rollout, without_thinking=without_thinking) for rollout in given]
        body = encode({**group, "group_id": group_id, "rollouts": rollouts}, f"groups[{index}]")
        parts.append(Part(body, len(rollouts), generations_of(len(rollouts), spec)))
    return parts


def listed(given: Sequence[T], name: str, field: str) -> Sequence[T]:
    """Groups, items or lists as a call takes them: a single one becomes a list. Raises InvalidRequest
    for anything else."""
    if isinstance(given, Mapping):
        return [cast("T", given)]
    if not isinstance(given, Sequence) or isinstance(given, (str, bytes)):
        raise invalid(name, f"must be a list of objects with `{field}`, and is a {_kind(given)}")
    for at, each in enumerate(given):
        if not isinstance(each, Mapping):
            raise invalid(f"{name}[{at}]", f"must be an object with `{field}`, and is a {_kind(each)}")
    return given


def _rollouts_of(group: Group, place: str) -> Sequence[Rollout]:
    """A group's rollouts. Raises InvalidRequest where there are none, and suggests the field that the
    caller may mean."""
    given: Any = group.get("rollouts")
    if given is None:
        _refuse_other(group.keys() - Group.__annotations__.keys(), "rollouts", place)
        raise invalid(f"{place}.rollouts", "required: a list of objects with `text` or `messages`")
    if isinstance(given, Mapping):
        given = [given]
    if not isinstance(given, Sequence) or isinstance(given, (str, bytes)):
        raise invalid(
            f"{place}.rollouts", f"must be a list of objects with `text` or `messages`, and is a {_kind(given)}"
        )
    for at, rollout in enumerate(given):
        if not isinstance(rollout, Mapping):
            advice = (
                'write {"text": ..}' if isinstance(rollout, str) else "an object with `text` or `messages` is needed"
            )
            raise invalid(f"{place}.rollouts", f"element {at} is a {_kind(rollout)}: {advice}")
        if not rollout.keys() & {"text", "messages"}:
            for field in ("text", "messages"):
                _refuse_other(rollout.keys() - Rollout.__annotations__.keys(), field, f"{place}.rollouts[{at}]")
    return given


def _refuse_other(held: Iterable[str], field: str, place: str) -> None:
    """Raises InvalidRequest where a field of another name looks like a misspelt `field`."""
    other = next((name for name in sorted(held) if near(str(name), (field,)) is not None), None)
    if other is not None:
        raise invalid(f"{place}.{other}", f"unknown field, did you mean `{field}`?")


def _kind(value: object) -> str:
    return "text" if isinstance(value, str) else type(value).__name__


def as_sent(rollout: Rollout, *, without_thinking: bool) -> Rollout:
    """The rollout as it is sent: with empty think blocks if asked, and cut to its head when it is too
    long."""
    text = rollout.get("text")
    if without_thinking and isinstance(text, str):
        rollout = {**rollout, "text": drop_thinking(text)}
    return within_reach(rollout)


def generations_of(rollouts: int, spec: str | AnySpec) -> int:
    """The maximum of generations that a group can need: every pair, or one list, of each tournament. A
    stored spec counts as pairs asked once; the server reports faults of a spec."""
    content = _object(spec)
    if "signals" not in content:
        return _asked_by(_object(content.get("judge")), rollouts)
    signals = [_object(signal) for signal in _object(content["signals"]).values()]
    tournaments = [signal for signal in signals if signal.get("kind") == "tournament"]
    return sum(_asked_by(_object(signal.get("judge")), rollouts) for signal in tournaments)


def _asked_by(judge: Mapping[str, Any], rollouts: int) -> int:
    samples = judge.get("samples", 1)
    most = _count(_object(samples).get("max", 1) if isinstance(samples, Mapping) else samples)
    if judge.get("mode") == "listwise":
        return most
    return rollouts * (rollouts - 1) // 2 * most * (2 if judge.get("both_orders") else 1)


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 1


def item_places(items: Sequence[VerdictItem]) -> list[range]:
    """The items that must be in one request: consecutive items of one prompt are a group of the run."""
    places: list[range] = []
    for at, item in enumerate(items):
        prompt = item.get("prompt")
        if places and prompt is not None and items[at - 1].get("prompt") == prompt:
            places[-1] = range(places[-1].start, at + 1)
        else:
            places.append(range(at, at + 1))
    return places


def split(parts: Sequence[Part], limits: Limits, envelope_bytes: int) -> list[range]:
    """Cuts the parts, in order, into runs by first fit; a part that alone exceeds a limit is a separate
    run."""
    runs: list[range] = []
    start = rollouts = generations = 0
    size = envelope_bytes
    for at, part in enumerate(parts):
        rollouts += part.rollouts
        generations += part.generations
        size += len(part.body) + 1
        full = (
            at - start >= limits.parts
            or rollouts > limits.rollouts
            or generations > limits.generations
            or size > limits.body_bytes
        )
        if full and at > start:
            runs.append(range(start, at))
            start, rollouts, generations = at, part.rollouts, part.generations
            size = envelope_bytes + len(part.body) + 1
    runs.append(range(start, len(parts)))
    return runs


def halves(run: range) -> tuple[range, range]:
    """A run of two parts or more as two runs."""
    middle = run.start + len(run) // 2
    return range(run.start, middle), range(middle, run.stop)


def body_of(envelope: Mapping[str, object], name: str, parts: Sequence[Part]) -> bytes:
    """The request's body: the envelope's members, then the parts as the list `name`."""
    head = encode(envelope, "request")[:-1]
    comma = b"," if len(head) > 1 else b""
    return b"".join((head, comma, encode(name, "request"), b":[", b",".join(part.body for part in parts), b"]}"))
