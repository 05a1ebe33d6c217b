"""Helpers shared by several test modules: quick retries, and groups whose rewards tell their place."""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Iterator
from typing import Any

import pytest
from agent_shims_setup import stepped
from fake_server import FakeServer, rewards, serving
from stack import running_stack

from kritai import Group, RetryPolicy
from kritai.default_run import NAMED_BY, forget_default_runs
from kritai.gather import forget_shared

QUICK = RetryPolicy(retries_max=3, base_s=0.001, cap_s=0.002)


def numbered(groups: int, rollouts: int = 2) -> list[Group]:
    """Groups whose rollout r of group g has the text, and on the fake server the reward, g + r /
    100."""
    return [
        {"prompt": f"p{g}", "rollouts": [{"text": str(g + r / 100)} for r in range(rollouts)]} for g in range(groups)
    ]


def expected(groups: int, rollouts: int = 2) -> list[list[float | None]]:
    return [[float(str(g + r / 100)) for r in range(rollouts)] for g in range(groups)]


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    forget_default_runs()
    for name in NAMED_BY:
        monkeypatch.delenv(name, raising=False)
    for name in (
        "BASE_URL",
        "API_KEY",
        "GROUP_SIZE",
        "WINDOW_S",
        "SPEC",
        "RUN_ID",
        "FALLBACK",
        "QUERY",
        "TIMEOUT_S",
        "VAL_GROUP_SIZE",
        "COMPONENTS",
        "DRIFT_PROBE",
        "FIRST_CALL_S",
        "GATHER",
    ):
        monkeypatch.delenv(f"KRITAI_{name}", raising=False)


@pytest.fixture(scope="session")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The real stack, with the embedded database and verifier."""
    with running_stack(tmp_path_factory.mktemp("data")) as address:
        yield address


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    """The fake server, as the environment's KRITAI_BASE_URL."""
    forget_shared()
    with serving(rewards) as running:
        monkeypatch.setenv("KRITAI_BASE_URL", running.url)
        yield running


@pytest.fixture
def by_turn(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    """A server that gives a number a turn, as the environment's KRITAI_BASE_URL."""
    forget_shared()
    with serving(stepped) as running:
        monkeypatch.setenv("KRITAI_BASE_URL", running.url)
        monkeypatch.setenv("KRITAI_GROUP_SIZE", "2")
        yield running
    forget_shared()


@pytest.fixture
def areal_shim(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The shim's module over a stand-in for AReaL's workflow, which asks for a reward as areal
    1.0.4 does."""

    class RLVRWorkflow:
        def __init__(self, reward_fn: Any, gconfig: object, tokenizer: object) -> None:
            assert not isinstance(reward_fn, str)  # a name would be loaded, and wrapped, at the first episode
            self.async_reward_fn: Any = None

        async def arun_episode(self, engine: object, data: dict[str, Any]) -> float:
            row = {name: value for name, value in data.items() if name != "generated"}
            reward: float = await self.async_reward_fn(data["messages"], data["generated"], [1], [2], **row)
            return reward

    rlvr: Any = types.ModuleType("areal.workflow.rlvr")
    rlvr.RLVRWorkflow = RLVRWorkflow
    for name in ("areal", "areal.workflow"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, "areal.workflow.rlvr", rlvr)
    monkeypatch.delitem(sys.modules, "kritai.shims.areal_reward", raising=False)
    return importlib.import_module("kritai.shims.areal_reward")
