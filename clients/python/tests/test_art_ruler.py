"""ART's RULER through its shim, over a stand-in for openpipe-art 0.5.18: its groups, and the
`ruler_score_group` that asks a judge."""

from __future__ import annotations

import asyncio
import importlib
import sys
import types
import warnings
from dataclasses import dataclass
from typing import Any

import pytest

from kritai import KritaiWarning

REFUSED = "BadRequestError: The rollout is alone in its group, so there is nothing to compare it with."
OTHER = "BadRequestError: unknown_spec"


@dataclass
class TrajectoryGroup:
    trajectories: list[str]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The arguments of each call of ART's function."""
    calls: list[dict[str, Any]] = []

    async def ruler_score_group(group: Any, **given: Any) -> Any:
        calls.append(given)
        if REFUSED in group.trajectories:
            raise RuntimeError(group.trajectories[0])
        return group

    monkeypatch.setitem(sys.modules, "art", types.ModuleType("art"))
    rewards: Any = types.ModuleType("art.rewards")
    rewards.ruler_score_group = ruler_score_group
    monkeypatch.setitem(sys.modules, "art.rewards", rewards)
    monkeypatch.delitem(sys.modules, "kritai.shims.art_ruler", raising=False)
    return calls


def scored(texts: list[str], base_url: str | None = "http://host:8787/", **options: Any) -> Any:
    shim = importlib.import_module("kritai.shims.art_ruler")
    group = TrajectoryGroup(texts)
    return asyncio.run(shim.kritai_ruler(base_url, **options)(group))


def test_identical_trajectories_are_left_out_where_the_spec_compares(asked: list[Any]) -> None:
    with pytest.warns(KritaiWarning, match="identical: all 4 trajectories") as warned:
        assert scored([REFUSED] * 4) is None
    assert len(asked) == 1
    assert warned[0].filename == __file__


def test_identical_trajectories_have_the_score_of_a_spec_that_compares_nothing(asked: list[Any]) -> None:
    assert scored(["same"] * 4).trajectories == ["same"] * 4


@pytest.mark.parametrize("texts", [[REFUSED], [OTHER, REFUSED]])
def test_other_refusals_are_raised(asked: list[Any], texts: list[str]) -> None:
    with pytest.raises(RuntimeError, match="BadRequest"):
        scored(texts)


@pytest.mark.parametrize("texts", [["a", "b"], ["a", "a", "b"], ["alone"], []])
def test_others_are_for_arts_own_ruler_whose_judge_is_kritai(
    asked: list[Any], monkeypatch: pytest.MonkeyPatch, texts: list[str]
) -> None:
    monkeypatch.setenv("KRITAI_API_KEY", "k")
    monkeypatch.setenv("KRITAI_BASE_URL", "http://other/v1")
    monkeypatch.setenv("KRITAI_RUN_ID", "mine")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scored(texts, spec="mine", rubric="r", swallow_exceptions=True)
        scored(texts, None)
    told: dict[str, Any] = {"api_base": "http://host:8787/ruler/v1", "api_key": "k"}
    told["extra_headers"] = {"Kritai-Run-Id": "mine"}
    judge = {"judge_model": "openai/mine", "extra_litellm_params": told}
    assert asked[0] == {**judge, "rubric": "r", "swallow_exceptions": True}
    assert asked[1]["extra_litellm_params"]["api_base"] == "http://other/ruler/v1"
