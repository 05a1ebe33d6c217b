"""Checks and completes the options of a shim that scores whole batches, before the first batch."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from kritai.call_options import RewardsOptions, unknown_options
from kritai.drift_probe import with_probe
from kritai.processes import Crew
from kritai.scored_rows import score_rows

_KNOWN = {*RewardsOptions.__annotations__, *inspect.signature(score_rows).parameters} - {
    "options",
    "prompts",
    "rollouts",
}


def shim_options(options: Mapping[str, Any], framework: str) -> dict[str, Any]:
    """`drift_probe` as a probe, `gather` as the crew that scores all processes' rows together. Raises TypeError for
    an option that there is not."""
    unknown_options(options, _KNOWN)
    told = {"framework": framework, **with_probe(options)}
    gathers = told.pop("gather", False)
    return {**told, "gather": Crew()} if gathers else told
