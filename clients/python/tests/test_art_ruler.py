"""ART's RULER through its shim, over a stand-in for openpipe-art 0.5.18: its groups, and the
`ruler_score_group` that asks a judge."""

from __future__ import annotations

import asyncio
import importlib
import sys
import types
import warnings
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from kritai import KritaiWarning


@dataclass
class Trajectory:
    text: str
    reward: float = 0.25
    metrics: dict[str, float] = field(default_factory=dict)

    def messages(self) -> list[dict[str, str]]:
        return [{"role": "user", "content": "p"}, {"role": "assistant", "content": self.text}]

    def model_copy(self, update: dict[str, Any]) -> Trajectory:
        return replace(self, **update)


@dataclass
class TrajectoryGroup:
    trajectories: list[Trajectory]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What ART's function was called with."""
    calls: list[dict[str, Any]] = []

    async def ruler_score_group(group: Any, **given: Any) -> Any:
        calls.append(given)
        return group

    art: Any = types.ModuleType("art")
    art.TrajectoryGroup = TrajectoryGroup
    rewards: Any = types.ModuleType("art.rewards")
    rewards.ruler_score_group = ruler_score_group
    monkeypatch.setitem(sys.modules, "art", art)
    monkeypatch.setitem(sys.modules, "art.rewards", rewards)
    monkeypatch.delitem(sys.modules, "kritai.shims.art_ruler", raising=False)
    return calls


def scored(texts: list[str], base_url: str | None = "http://host:8787/", **options: Any) -> Any:
    shim = importlib.import_module("kritai.shims.art_ruler")
    group = TrajectoryGroup([Trajectory(text) for text in texts])
    return asyncio.run(shim.kritai_ruler(base_url, **options)(group))


def test_identical_trajectories_are_each_a_half_with_a_warning_and_nobody_is_asked(asked: list[Any]) -> None:
    with pytest.warns(KritaiWarning, match="identical: all 4 trajectories"):
        group = scored(["same"] * 4)
    assert asked == []
    assert [each.reward for each in group.trajectories] == [0.5] * 4
    assert group.trajectories[0].metrics == {"independent_reward": 0.25, "ruler_score": 0.5}


@pytest.mark.parametrize("texts", [["a", "b"], ["a", "a", "b"], ["alone"], []])
def test_others_are_for_arts_own_ruler_whose_judge_is_kritai(
    asked: list[Any], monkeypatch: pytest.MonkeyPatch, texts: list[str]
) -> None:
    monkeypatch.setenv("KRITAI_API_KEY", "k")
    monkeypatch.setenv("KRITAI_BASE_URL", "http://other")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scored(texts, spec="mine", rubric="r", swallow_exceptions=True)
        scored(texts, None)
    told = {"api_base": "http://host:8787/ruler/v1", "api_key": "k"}
    judge = {"judge_model": "openai/mine", "extra_litellm_params": told}
    assert asked[0] == {**judge, "rubric": "r", "swallow_exceptions": True}
    assert asked[1]["extra_litellm_params"]["api_base"] == "http://other/ruler/v1"
