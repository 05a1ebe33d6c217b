"""The fixture of the trainers' tests."""

from __future__ import annotations

import pytest
from tiny_policy import GROUP, PROMPTS

from kritai import Kritai


@pytest.fixture(scope="session")
def expected(url: str) -> list[float | None]:
    """The group's rewards from /v1/rewards, where it comes as one."""
    with Kritai(url) as client:
        return client.rewards([{"prompt": PROMPTS[0], "rollouts": [{"text": text} for text in GROUP]}]).flat
