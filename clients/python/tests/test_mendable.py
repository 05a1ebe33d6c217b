"""Which codes of a missing reward are asked for again: those of the server's own table, in the client
and in the forwarder for Bedrock."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from kritai import merging

ROOT = Path(__file__).parents[3]
TABLE = ROOT / "src" / "scoring" / "mendable.ts"
FORWARDER = ROOT / "clients" / "bedrock" / "lambda_function.py"


def server_codes(value: str) -> set[str]:
    return set(re.findall(rf"^  (\w+): {value},$", TABLE.read_text(), re.MULTILINE))


def forwarder_codes(name: str) -> set[str]:
    """Without importing it, which needs AWS's environment."""
    (codes,) = re.findall(rf'^{name} = (.*?)^"""', FORWARDER.read_text(), re.MULTILINE | re.DOTALL)
    return set(re.findall(r'"(\w+)"', codes))


def test_the_codes_that_may_come_later_are_the_servers() -> None:
    later, after_failures = server_codes("true"), server_codes('"after_failures"')
    assert later
    assert after_failures
    assert later == merging.LATER == forwarder_codes("LATER")
    assert after_failures == merging.AFTER_FAILURES == forwarder_codes("AFTER_FAILURES")


@pytest.mark.parametrize(("code", "failed", "again"), [("sandbox_failed", 0, True), ("no_majority", 0, False)])
def test_an_undecided_reward_may_come_only_where_the_verifier_failed(code: str, failed: int, again: bool) -> None:
    group: Any = {"rollouts": [{"reward": None, "error": code}], "verifier": {"failed": failed}}
    assert merging.may_come(group) is again
    group["verifier"]["failed"] = 1
    assert merging.may_come(group)
