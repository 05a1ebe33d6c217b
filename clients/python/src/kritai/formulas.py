"""Rewards of verdict texts for training a verifier, in published forms that the server's
`/v1/verdicts` does not score. Each is a function of the text and of what is known of its candidates; no
server is asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

VerdictStyle = Literal["think", "cot"]
"""`think`: thoughts in think tags, then the box alone. `cot`: free text that ends with the box."""

LENGTH_BONUS_TOKENS = 120
SCORE_MOST = 10
PAIR = 2


class FormulaReward(NamedTuple):
    """A reward is `content + format`."""

    content: float
    format: float

    @property
    def reward(self) -> float:
        return self.content + self.format


def _score(block: str) -> int | None:
    """The integer from 0 to 10 of an answer block in ASCII digits; else None."""
    content = block.strip()
    if not re.fullmatch(r"[+-]?[0-9]+(?:_[0-9]+)*", content) or len(content) > SCORE_MOST * SCORE_MOST:
        return None
    value = int(content)
    return value if 0 <= value <= SCORE_MOST else None


def _answers(text: str) -> float | tuple[int, int]:
    tags = (("<think>", 1), ("</think>", 1), ("<answer>", PAIR), ("</answer>", PAIR))
    firsts = [text.find(tag) for tag, _ in tags]
    if any(text.count(tag) != count for tag, count in tags) or firsts != sorted(firsts):
        return -1
    open1, close1 = firsts[2:]
    open2, close2 = text.rfind("<answer>"), text.rfind("</answer>")
    first = _score(text[open1 + len("<answer>") : close1])
    # Blocks that nest or cross leave one matched block, which holds no second score.
    second = _score(text[open2 + len("<answer>") : close2]) if open2 > close1 else None
    return -0.5 if first is None or second is None else (first, second)


def judgelrm(
    text: str, pass_rates: Sequence[float], length_tokens: int | None = None, max_tokens: int | None = None
) -> FormulaReward:
    """JudgeLRM's reward of two scores in answer tags, from -3 to 4.4 (arXiv 2504.00050, judgelrm.py).

    Format: 1 for one pair of think tags and two answer blocks behind it, -0.5 where a block holds no
    integer from 0 to 10, else -1. Content: -2 without scores; else -1.5 for the wrong order, or 2 for the
    right one, with 1 more for exact scores, 0.6 for scores off by 2 in sum, and 0.2 for a gap that is wide
    enough. Above 120 tokens add 0.2, at the limit subtract 1. `pass_rates` of both candidates, from 0 to 1:
    the expected scores are ten times these. Without `length_tokens` both terms of length are left out,
    without `max_tokens` the limit's."""
    scores = _answers(text)
    if not isinstance(scores, tuple):
        return FormulaReward(-2, scores)
    e1, e2 = (round(10 * rate) for rate in pass_rates)
    s1, s2 = scores
    content = -1.5
    if (e1 >= e2) == (s1 >= s2):
        distance = abs(s1 - e1) + abs(s2 - e2)
        content = 2 + (1 if distance == 0 else 0.6 if distance <= PAIR else 0)
        if abs(s1 - s2) >= abs(e1 - e2):
            content += 0.2
    if length_tokens is not None and length_tokens > LENGTH_BONUS_TOKENS:
        content += 0.2
    if length_tokens is not None and max_tokens is not None and length_tokens >= max_tokens:
        content -= 1
    return FormulaReward(round(content, 2), 1)


def _first_box(text: str, style: VerdictStyle) -> str | None:
    """Content of the first box behind the thoughts (`think`) or of the text (`cot`)."""
    answer = text.rpartition("</think>")[2] if style == "think" else text
    found = re.search(r"\\boxed\{([^\n}]*)\}", answer)
    return found and found[1]


def _is_exact(text: str, style: VerdictStyle, fits: Callable[[str], bool]) -> bool:
    """Whether the text ends with a box whose content fits, behind thoughts alone (`think`) or anything."""
    thoughts, box, rest = text.strip().rpartition("\\boxed{")
    if not box or not rest.endswith("}") or not fits(rest[:-1]):
        return False
    return style == "cot" or re.fullmatch(r"(?s)<think>(?!.*<think>).*</think>", thoughts.strip()) is not None


def _set_reward(
    text: str, correct: Sequence[int], candidates: int, style: VerdictStyle, places_of: Callable[[str], set[int] | None]
) -> FormulaReward:
    box = _first_box(text, style)
    places = None if box is None else places_of(box)
    hits = 0 if places is None else sum((at in places) == (at in correct) for at in range(candidates))
    exact = _is_exact(text, style, lambda content: places_of(content) is not None)
    return FormulaReward(hits / candidates, 0 if exact else -1)


def patch_multiselect(
    text: str, correct: Sequence[int], candidates: int, style: VerdictStyle = "think"
) -> FormulaReward:
    r"""R4P's reward of the letters of all right candidates, `\boxed{A, C}` or `\boxed{none}`, from -1 to 1
    (arXiv 2510.22775).

    Content: the share of candidates told right, 0 without such a box. Format: 0, or -1 for another form.
    `correct`: 0-based indices of the right candidates."""

    def places_of(content: str) -> set[int] | None:
        if content == "none":
            return set()
        if not re.fullmatch(r"[A-Z](?:, ?[A-Z])*", content):
            return None
        places = [ord(letter) - ord("A") for letter in re.split(", ?", content)]
        return set(places) if len(set(places)) == len(places) and max(places) < candidates else None

    return _set_reward(text, correct, candidates, style, places_of)


def pair_labels(text: str, correct: Sequence[int], style: VerdictStyle = "think") -> FormulaReward:
    r"""PairJudge RM's reward of a label for each of two, `\boxed{correct, incorrect}`, from -1 to 1.

    Content: the share told right, 0 without such a box. Format: 0, or -1 for another form. `correct`: 0-based
    indices of the right candidates."""

    def places_of(content: str) -> set[int] | None:
        labels = re.split(", ?", content)
        if len(labels) != PAIR or not set(labels) <= {"correct", "incorrect"}:
            return None
        return {place for place, label in enumerate(labels) if label == "correct"}

    return _set_reward(text, correct, PAIR, style, places_of)
