"""Suggestions for misspelt names of fields and options, in the words of the server's refusals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

SYNONYMS = {
    "rollouts": ("answers", "candidates", "choices", "completions", "generations", "outputs", "responses", "samples"),
    "prompt": ("input", "instruction", "messages", "query", "question"),
    "text": ("completion", "content", "generation", "output", "response", "solution"),
    "messages": ("chat", "conversation", "trajectory", "turns"),
    "run_id": ("experiment", "run", "run_name"),
    "timeout_s": ("timeout",),
    "base_url": ("url",),
}
"""Names that other tools give to a field or an option."""


def near(name: str, known: Iterable[str]) -> str | None:
    """The known name that is meant; None where none is near."""
    plain = {each.replace("_", "").lower(): each for each in known}
    for each in plain.values():
        if name.lower() in SYNONYMS.get(each, ()):
            return each
    found = get_close_matches(name.replace("_", "").replace("-", "").lower(), plain, 1, 0.75)
    return plain[found[0]] if found else None


def unknown_names(names: Iterable[str], known: Iterable[str], place: str = "") -> str:
    """A sentence for each name: that it is unknown, and what is meant."""
    listed = sorted(known)
    said = []
    for name in sorted(names):
        meant = near(name, listed)
        said.append(f"{place}{name}" + (f" (did you mean `{meant}`?)" if meant else ""))
    return ", ".join(said)


def refuse_near(given: Mapping[str, object], known: Iterable[str], place: str) -> None:
    """Raises TypeError for names that are nearly known ones. Others are left alone: a trainer adds its own."""
    listed = list(known)
    wrong = [name for name in given if name not in listed and near(name, listed) is not None]
    if wrong:
        raise TypeError(f"unknown options: {unknown_names(wrong, listed, place)}")
