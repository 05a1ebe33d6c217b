"""Finds content of a trainer's conversation that no verifier is shown; it is refused before anything is
sent, with its place. Follows the server's rules (docs/integrations/content.md)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kritai.errors import FieldFault, Problem, UnsupportedContent

CURE = (
    "the verifier would not see it. Write what is to be judged into the completion's text (a transcript of calls and"
    " results, say), or leave it out if the reward may do without"
)

_TEXTS = frozenset((None, "text", "input_text", "output_text"))
_THOUGHTS = frozenset(("reasoning", "reasoning_text", "summary_text", "thinking", "redacted_thinking", "thought"))
_THOUGHT_FIELDS = frozenset(
    [
        "reasoning",
        "reasoning_content",
        "reasoning_details",
        "reasoning_text",
        "thinking",
        "thinking_blocks",
        "thought",
        "thoughts",
        "thought_signature",
        "thoughtSignature",
    ]
)
_ABOUT = frozenset(
    [
        "type",
        "role",
        "id",
        "name",
        "index",
        "status",
        "phase",
        "object",
        "model",
        "tool_call_id",
        "call_id",
        "weight",
        "loss",
        "loss_scale",
        "train",
        "mask",
        "created",
        "created_at",
        "timestamp",
        "date",
        "finish_reason",
        "stop_reason",
        "language",
        "lang",
        "turn",
        "turn_id",
        "turn_identifier",
        "state",
        "country",
        "hashed_ip",
        "source",
        "metadata",
        "usage",
        "logprobs",
        "cache_control",
        "routed_experts",
        "header",
    ]
)
"""Fields about a message's origin or training use: a verifier needs none of them."""

_MEDIA = re.compile("image|pixel|picture|photo|media|multi_?modal|audio|video|file", re.IGNORECASE)
_COLUMN = re.compile(
    r"(images?|image_urls?|videos?|video_urls?|audios?|audio_urls?|pixel_values|pdf|multi_?modal_(data|inputs?)"
    r"|multimodal_train_inputs|attachments|(input|output)_(images?|files?|audio)|tool_calls|tool_results|function_call)",
    re.IGNORECASE,
)
_RESULTS = frozenset(("tool", "function"))
_OTHERS = _RESULTS | {"user", "system", "developer"}


def is_nothing(value: object, depth: int = 0) -> bool:
    """Whether a value holds no word and no number: None, False, an empty string, or lists and mappings
    of nothing else."""
    if value is None or value is False or (isinstance(value, str) and value == ""):
        return True
    if isinstance(value, Mapping):
        return depth < 8 and all(is_nothing(each, depth + 1) for each in value.values())
    if isinstance(value, (list, tuple)):
        return depth < 8 and all(is_nothing(each, depth + 1) for each in value)
    return False


def text_of(content: object) -> str:
    """A message's content as text: a string, or the text blocks of a list without the thoughts among
    them; nothing for None."""
    if isinstance(content, str):
        return content
    if isinstance(content, (list, tuple)):
        return "".join(
            str(block.get("text") or "") for block in content if isinstance(block, Mapping) and not _thought(block)
        )
    return ""


def _thought(part: Mapping[str, Any]) -> bool:
    return part.get("type") in _THOUGHTS or part.get("thought") is True


def _beside(value: Mapping[str, Any], place: str, read: str) -> Iterator[FieldFault]:
    for name, held in value.items():
        if name == read or name in _ABOUT or name in _THOUGHT_FIELDS or is_nothing(held):
            continue
        if isinstance(held, (bool, int, float)):
            continue
        numbers = isinstance(held, (list, tuple)) and all(isinstance(each, (int, float)) for each in held)
        if not numbers or _MEDIA.search(name):
            yield FieldFault(f"{place}.{name}", f"{name}: {CURE}")


def _parts(content: object, place: str) -> Iterator[FieldFault]:
    parts = content if isinstance(content, (list, tuple)) else [content]
    for at, part in enumerate(parts):
        where = f"{place}[{at}]" if parts is content else place
        if isinstance(part, Mapping):
            if _thought(part):
                continue
            if part.get("type") in _TEXTS:
                yield from _beside(part, where, "text")
            else:
                held = _INLINE if _is_inline(part) else ""
                yield FieldFault(where, f"{held}{part.get('type')}: {CURE}")
        elif not isinstance(part, str) and not is_nothing(part):
            yield FieldFault(where, f"{type(part).__name__}: {CURE}")


def chat_faults(messages: Iterable[Mapping[str, Any]], place: str) -> Iterator[FieldFault]:
    """Faults of a prompt's messages: all content of each besides its text."""
    for at, message in enumerate(messages):
        where = f"{place}[{at}]"
        kind = message.get("type")
        if kind in _THOUGHTS:
            continue
        if kind not in (None, "message"):
            yield FieldFault(where, f"{kind}: {CURE}")
            continue
        yield from _parts(message.get("content"), f"{where}.content")
        yield from _beside(message, where, "content")


_INLINE = "inline "


def _is_inline(part: Mapping[str, Any]) -> bool:
    """Whether a part is an image within the message itself, which a spec may show (`judge.images`)."""
    held = part.get("image_url")
    address = held.get("url") if isinstance(held, Mapping) else held
    return part.get("type") in ("image_url", "input_image") and str(address).startswith("data:")


def not_inline(faults: Iterable[FieldFault]) -> Iterator[FieldFault]:
    """Drops the faults for images that the server may show, or refuses itself."""
    return (fault for fault in faults if not fault.message.startswith(_INLINE))


def media_of(faults: Iterable[FieldFault]) -> Iterator[FieldFault]:
    """Faults for the media that the server refuses in a run: audio, video, files, and images by an
    address."""
    for fault in not_inline(faults):
        if _MEDIA.search(fault.message.split(":")[0]):
            yield FieldFault(fault.path, fault.message)


def judged_at(messages: list[Mapping[str, Any]]) -> int:
    """The index of the assistant's last message, else of the last message."""
    own = [at for at, message in enumerate(messages) if message.get("role") == "assistant"]
    return own[-1] if own else len(messages) - 1


def answer_faults(
    messages: list[Mapping[str, Any]], place: str, others: frozenset[str] = _OTHERS
) -> Iterator[FieldFault]:
    """Faults of a completion's messages: content besides text, and every turn but the judged one.
    others: roles whose words are not the policy's."""
    yield from chat_faults(messages, place)
    judged = judged_at(messages)
    for at, message in enumerate(messages):
        role = message.get("role")
        if is_nothing(message.get("content")) or (at == judged and role not in others):
            continue
        yield FieldFault(f"{place}[{at}]", f"a turn of {role}: {CURE}")


def row_faults(row: Mapping[str, Any], place: str) -> Iterator[FieldFault]:
    """Faults of a dataset's row, or of a sample's attributes: non-empty fields for media or calls of
    tools."""
    for name, held in row.items():
        if isinstance(name, str) and _COLUMN.fullmatch(name) and _holds(held):
            yield FieldFault(f"{place}.{name}", f"{name}: {CURE}")


def _holds(held: object) -> bool:
    try:
        return not is_nothing(held)
    except ValueError:  # an array's truth
        return True


def refuse(faults: Iterable[FieldFault]) -> None:
    """Raises UnsupportedContent where there is a fault; at most 20 are named, as by the server."""
    found = []
    for fault in faults:
        found.append(fault)
        if len(found) == 20:
            break
    if found:
        first = found[0]
        raise UnsupportedContent(Problem("unsupported_content", f"{first.path}: {first.message}", errors=tuple(found)))
