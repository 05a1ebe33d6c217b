"""Takes the thinking out of a rollout's text."""

from __future__ import annotations

import re

# Opening and closing tags by kind, as src/core/text/thinking.ts reads them. Those before
# _OWN_TAGS are spellings of one tag.
_KINDS = (
    ("<think>", "</think>"),
    ("<Think>", "</Think>"),
    ("<THINK>", "</THINK>"),
    ("<thinking>", "</thinking>"),
    ("<Thinking>", "</Thinking>"),
    ("<THINKING>", "</THINKING>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("\u25c1think\u25b7", "\u25c1/think\u25b7"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|channel>", "<channel|>"),
)
_PLAIN = 0
_OWN_TAGS = 6
_HARMONY = len(_KINDS)
_KIND_OF = {tag: (kind, place == 0) for kind, tags in enumerate(_KINDS) for place, tag in enumerate(tags)}
_FINAL = "<|channel|>final"
# A pattern that can only begin with one character is far faster; the tags that begin with others
# are rare.
_ANGLE_TAG = re.compile(
    r"<(?:/?(?:[Tt]hink(?:ing)?|THINK(?:ING)?|thought|reasoning|seed:think)>"
    r"|\|(?:(?:begin|end)_of_thought|(?:START|END)_THINKING)\|>|\|channel>|channel\|>"
    r"|\|channel\|>(?:analysis|commentary|final(?:[^<\n]{0,32}<\|message\|>)?))"
)
_TAG = re.compile(_ANGLE_TAG.pattern + r"|\[/?THINK\]|\u25c1/?think\u25b7")
_WORD = re.compile(r"[A-Za-z0-9_]")
# Harmony's headers where a server drops special tokens.
_BARE_ANALYSIS = "analysis"
_BARE_FINAL = "assistantfinal"


def _counts(kind: int, opens: bool, inside: int, closed: bool, behind_word: bool) -> bool:
    """Whether a tag is one where it stands: `inside` is the kind of the open block, -1 outside
    one."""
    if inside < 0:
        return kind == _PLAIN or not (behind_word if opens else closed)
    if opens:
        return kind == inside and kind != _HARMONY
    return kind == inside or (kind == _PLAIN and inside < _OWN_TAGS)


def drop_thinking(text: str) -> str:
    """The text without what is thought: what follows each opening tag, and what precedes a closing
    one that comes first.

    Every tag that counts stays where it is among the tags, so the server finds the same answer
    segment and the same format. The tags are those of all the model families that the server knows,
    Harmony's and Gemma's channels among them. Linear in the text.
    """
    kept: list[str] = []
    at = 0
    inside = -1
    bare = text.rfind(_BARE_FINAL) if text.startswith(_BARE_ANALYSIS) else -1
    closed = bare >= 0
    if closed:
        at = bare + len(_BARE_FINAL)
        kept.append(_BARE_ANALYSIS + _BARE_FINAL)
    pattern = _TAG if "THINK]" in text or "\u25b7" in text else _ANGLE_TAG
    for match in pattern.finditer(text, at):
        tag, start = match.group(), match.start()
        kind, opens = _KIND_OF.get(tag, (_HARMONY, not tag.startswith(_FINAL)))
        behind_word = _WORD.match(text[start - 1 : start]) is not None
        if not _counts(kind, opens, inside, closed, behind_word):
            continue
        if inside < 0 and (opens or closed):
            kept.append(text[at:start])
        inside = kind if opens else -1
        closed = closed or not opens
        kept.append(tag)
        at = match.end()
    if inside < 0:
        kept.append(text[at:])
    return "".join(kept)
