"""Shared setup of the tests of shims for agents of several turns: a server that gives a number a turn,
and stubs of a tool's own classes."""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any

import pytest
from fake_server import Received, Reply, rewards_reply

ASKED = [{"role": "user", "content": "Tidy up."}]


def own_steps(rollout: dict[str, Any]) -> list[float]:
    said = [turn for turn in rollout.get("messages", [rollout]) if turn.get("role", "assistant") == "assistant"]
    return [0.1 * at for at, turn in enumerate(said) if turn.get("content") or turn.get("tool_calls") or "text" in turn]


def stepped(request: Received, number: int) -> Reply:
    """Rewards with a number a turn: 0, 0.1, .."""
    reply = rewards_reply(request)
    for group, told in zip(request.json["groups"], reply.body["groups"], strict=True):
        for rollout, row in zip(group["rollouts"], told["rollouts"], strict=True):
            row["details"] = {"quality": {"raw": 1}, "turns": {"steps": own_steps(rollout), "first_wrong": 0}}
    return reply


def stand_in(monkeypatch: pytest.MonkeyPatch, shim: str, module: str, **members: Any) -> Any:
    parts = module.split(".")
    for at in range(1, len(parts) + 1):
        monkeypatch.setitem(sys.modules, ".".join(parts[:at]), types.ModuleType(".".join(parts[:at])))
    for name, member in members.items():
        setattr(sys.modules[module], name, member)
    monkeypatch.delitem(sys.modules, f"kritai.shims.{shim}", raising=False)
    return importlib.import_module(f"kritai.shims.{shim}")
