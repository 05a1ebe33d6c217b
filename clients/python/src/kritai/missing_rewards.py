"""Decides which trainers can leave a missing reward out, and what the others get in its place."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from kritai.errors import NoScore, Problem
from kritai.least_versions import LEAST_VERSIONS, is_older


def trl_takes_zero() -> str | None:
    """The version of the installed TRL if it is so old that it sums a missing reward as 0.0; None for
    one that leaves the row out, and without TRL."""
    version = getattr(sys.modules.get("trl"), "__version__", None)
    old = isinstance(version, str) and is_older(version, LEAST_VERSIONS["trl"])
    return f"trl {version}" if old else None


def numbers_for(
    tool: str | None, fallback: float | None, values: Sequence[float | None], codes: Sequence[str | None]
) -> list[float | None]:
    """The values that a trainer may have: the fallback in place of missing ones. Without a fallback
    they stay as they are, except for a `tool` that would take None for 0.0: raises NoScore with the
    first code and the number of rows without a reward."""
    missing = [at for at, value in enumerate(values) if value is None]
    if fallback is not None:
        return [fallback if value is None else value for value in values]
    if tool is None or not missing:
        return list(values)
    first = codes[missing[0]] or "no_score"
    detail = (
        f"{len(missing)} of {len(values)} completions have no reward (the first: {first}), and {tool} would take "
        "that for 0.0; name a fallback of your own, or mend what the code says"
    )
    raise NoScore(Problem(first, detail, retryable=True))
