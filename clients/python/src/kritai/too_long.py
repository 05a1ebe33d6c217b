"""Defines what is sent of a completion that is longer than the server takes: its head alone."""

from __future__ import annotations

from kritai.request_types import Rollout

ROLLOUT_TEXT_BYTES = 512 * 1024
"""The server's limit rollout_text_bytes."""

HEAD_CHARS = 8 * 1024
"""Kept for readers of the run log: the verifier never sees it."""


def is_too_long(text: str) -> bool:
    """Without encoding texts that are surely short enough."""
    return len(text) * 4 > ROLLOUT_TEXT_BYTES and len(text.encode("utf-8", "surrogatepass")) > ROLLOUT_TEXT_BYTES


def within_reach(rollout: Rollout) -> Rollout:
    """The rollout; of one that is too long its head, said to be one, so that it costs no other
    rollout its place in the request."""
    text = rollout.get("text")
    if not isinstance(text, str) or not is_too_long(text):
        return rollout
    return {**rollout, "text": text[:HEAD_CHARS], "too_long": True}


def head_beyond(text: str) -> str:
    """The text; of one that is too long a head that the server still finds too long, for routes whose
    bodies are another tool's. A character is one byte at least."""
    return text[: ROLLOUT_TEXT_BYTES + 1] if is_too_long(text) else text
