"""verl's own loading of reward functions and its own reward manager, with the shims, against the
running stack."""

from __future__ import annotations

import asyncio
import statistics
from typing import Any

import packages
import pytest
from packages import verl_configuration
from stack import logged_groups
from tiny_policy import GROUP, PROGRAMS, PROMPTS, tokenizer

from kritai import Kritai
from kritai.gather import forget_shared


@pytest.fixture(autouse=True)
def _environment(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    forget_shared()
    monkeypatch.setenv("KRITAI_BASE_URL", url)


def scored(config: Any, programs: list[str]) -> list[dict[str, Any]]:
    rows = [(PROMPTS[0], program) for program in programs]
    return asyncio.run(packages.verl_scored(config, rows, tokenizer()))


@pytest.mark.parametrize("shim", ["verl_reward", "verl_gathered"])
def test_verls_reward_manager_gives_each_sample_the_reward_of_its_group(
    shim: str, expected: list[float | None]
) -> None:
    results = scored(verl_configuration(shim, group_size=len(GROUP)), GROUP)
    assert [result["reward_score"] for result in results] == expected
    assert len({frozenset(result["reward_extra_info"]) for result in results}) == 1
    # verl's validation shows it where it is there.
    assert [result["reward_extra_info"]["acc"] for result in results] == [1.0, 0.5, 0.0]


@pytest.mark.parametrize("shim", ["verl_reward", "verl_gathered"])
def test_a_group_is_logged_under_the_step_that_verl_logs(shim: str, url: str) -> None:
    run_id = f"steps-{shim}"
    scored(verl_configuration(shim, group_size=len(GROUP), run_id=run_id), GROUP)
    with Kritai(url) as client:
        # A group is logged behind its replies.
        steps = [row["step"] for row in logged_groups(client, run_id, 1)]
    assert steps == [packages.VERL_VERSION + 1]


@pytest.mark.parametrize(("shim", "flag"), [("verl_reward", "kritai_failed"), ("verl_gathered", "rm_fallback")])
def test_a_sample_without_a_score_is_the_declared_fallback_flagged_under_the_same_keys(shim: str, flag: str) -> None:
    [alone] = scored(verl_configuration(shim, group_size=1, fallback=-0.5), [PROGRAMS[1]])
    judged = scored(verl_configuration(shim, group_size=2, fallback=-0.5), PROGRAMS[:2])
    assert (alone["reward_score"], alone["reward_extra_info"][flag]) == (-0.5, 1)
    assert [result["reward_extra_info"][flag] for result in judged] == [0, 0]
    assert set(alone["reward_extra_info"]) == set(judged[0]["reward_extra_info"])


@pytest.mark.parametrize(
    ("shim", "kwargs", "keys"),
    [
        ("verl_reward", {"components": ["base", "format"]}, ["kritai_base", "kritai_format"]),
        ("verl_gathered", {}, ["rm_base", "rm_format"]),
    ],
)
def test_verls_gdpo_finds_each_component_by_its_key_and_normalises_it_by_itself(
    shim: str, kwargs: dict[str, Any], keys: list[str], expected: list[float | None]
) -> None:
    results = scored(verl_configuration(shim, "gdpo", group_size=len(GROUP), **kwargs), GROUP)
    columns = [[result["reward_extra_info"][key] for result in results] for key in keys]
    assert [base + form for base, form in zip(*columns, strict=True)] == expected
    # Both tell rollouts apart, so that each one's deviation counts.
    assert all(len(set(column)) > 1 for column in columns)
    summed = [sum(scores) for scores in zip(*map(standardised, columns), strict=True)]
    assert packages.verl_gdpo_advantages(results, keys) == pytest.approx(standardised(summed), abs=1e-4)


def standardised(values: list[float]) -> list[float]:
    centre, spread = statistics.mean(values), statistics.stdev(values)
    return [(value - centre) / spread for value in values]
