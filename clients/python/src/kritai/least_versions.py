"""Decides which versions of the trainers the shims were read and tried with, at the least."""

from __future__ import annotations

import re
from importlib import metadata

from kritai.reward_warnings import warn

LEAST_VERSIONS = {
    "areal": "1.0.4",
    "atroposlib": "0.4",
    "eval-protocol": "0.3.33",
    "ms-swift": "4.6",
    "nemo-gym": "0.5.1",
    "openenv": "0.10",
    "openpipe-art": "0.5.18",
    "openrlhf": "0.11",
    "skyrl-gym": "0.4",
    "slime": "0.3",
    "tinker-cookbook": "0.6",
    "trl": "1.6",
    "verifiers": "0.4",
    "verl": "0.9",
}
"""By the package's name on the index; docs/integrations/README.md says what an older one does."""


def numbers_of(version: str) -> tuple[int, ...]:
    """The release, without what follows it: 4.6.0.dev0 is (4, 6, 0)."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(int(part) for part in found[0].split(".")) if found else ()


def is_older(version: str, least: str) -> bool:
    wanted = numbers_of(least)
    return numbers_of(version)[: len(wanted)] < wanted


def warn_of_old(tool: str) -> None:
    """A KritaiWarning where the package is installed in a version that the shim was not tried with."""
    try:
        version = metadata.version(tool)
    except metadata.PackageNotFoundError:
        return
    if is_older(version, LEAST_VERSIONS[tool]):
        text = f"{tool} {version} is older than {LEAST_VERSIONS[tool]}, the least that this shim was tried with"
        warn(text)
