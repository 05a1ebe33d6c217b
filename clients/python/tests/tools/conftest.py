"""The fixtures of the tests of other vendors' clients."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator

import pytest
from tool_stack import Statuses, ToolStack, tool_stack

# Read when the packages are imported; a test run is not usage.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"


@pytest.fixture(scope="session")
def _running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ToolStack]:
    with tool_stack(tmp_path_factory.mktemp("data")) as running:
        yield running


@pytest.fixture
def stack(_running: ToolStack) -> ToolStack:
    _running.verifier.refuse(200, 0)
    return _running


@pytest.fixture
def statuses() -> Statuses:
    return Statuses()


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds that a client would have waited between two tries. They pass at once."""
    waited: list[float] = []
    sleep = asyncio.sleep

    def skip(seconds: float) -> None:
        waited.append(seconds)

    async def skip_async(seconds: float, *rest: object) -> None:
        if seconds > 0:
            waited.append(seconds)
        await sleep(0)

    monkeypatch.setattr(time, "sleep", skip)
    monkeypatch.setattr(asyncio, "sleep", skip_async)
    monkeypatch.setattr("anyio.sleep", skip_async)
    return waited
