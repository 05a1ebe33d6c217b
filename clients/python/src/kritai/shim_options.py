"""Owns what a shim of whole batches makes of its user's options before the first batch. Knows no
tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kritai.drift_probe import with_probe
from kritai.processes import Crew


def shim_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """`drift_probe` as a probe, `gather` as the crew that scores all processes' rows together."""
    told = with_probe(options)
    gathers = told.pop("gather", False)
    return {**told, "gather": Crew()} if gathers else told
