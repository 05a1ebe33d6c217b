"""verifiers' task of NeMo-Gym, AReaL's workflow, eval-protocol's remote function, ART's RULER and
ms-swift's scoring by their own code, each in the process that drives it for the trainers' table, against the running stack."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fake_server import FakeServer
from tiny_policy import PROGRAMS, PROMPTS

import kritai
from kritai import Kritai

DRIVER = Path(__file__).parents[1] / "drive_trainers.py"
TEXTS = [PROGRAMS[0], PROGRAMS[4], PROGRAMS[1]]


def told_by(tool: str, url: str, texts: list[str], split: str = "train", *more: dict[str, str]) -> list[Any]:
    """The output of a process of the tool for each plan: one without further variables, or one for each
    of those given."""
    source = str(Path(kritai.__file__).parents[1])
    plan = {"groups": [{"prompt": PROMPTS[0], "texts": texts}], "split": split, "size": len(texts)}
    env = {"KRITAI_BASE_URL": url, "KRITAI_GROUP_SIZE": str(len(texts))}
    plans = [
        {**plan, "id": at, "env": {**env, **each}, "scale": 1, "late_s": 0} for at, each in enumerate(more or [{}])
    ]
    done = subprocess.run(
        [sys.executable, str(DRIVER), tool],
        env={**os.environ, "PYTHONPATH": source},
        input="".join(f"{json.dumps(plan)}\n" for plan in plans),
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    ready, *lines = done.stdout.splitlines()
    assert ready == "ready"
    return sorted(map(json.loads, lines), key=lambda told: told["id"])


def driven(tool: str, url: str, texts: list[str], split: str = "train") -> list[Any]:
    """The values that the tool would train on."""
    [told] = told_by(tool, url, texts, split)
    assert "values" in told, told
    return [*told["values"][0]]


@pytest.mark.parametrize(
    ("tool", "told"),
    [
        ("areal", lambda reward: reward),
        ("verifiers", lambda reward: reward),
        # The default spec's rewards lie between -1 and 1.
        ("eval_protocol", lambda reward: (reward + 1) / 2),
        ("art", lambda reward: reward),
        ("ms_swift", lambda reward: reward),
    ],
)
def test_a_groups_samples_have_the_rewards_of_their_group(tool: str, told: Any, url: str) -> None:
    with Kritai(url) as client:
        rewards = client.rewards([{"prompt": PROMPTS[0], "rollouts": [{"text": text} for text in TEXTS]}]).flat
    assert len(set(rewards)) > 1
    assert driven(tool, url, TEXTS) == pytest.approx([told(reward) for reward in rewards])


@pytest.mark.parametrize("tool", ["verifiers", "eval_protocol"])
def test_a_sample_of_validation_alone_is_at_once_the_number_that_its_query_declares(tool: str, url: str) -> None:
    assert driven(tool, url, TEXTS[:1], "test") == [0.0]


def test_areal_raises_for_a_sample_of_validation_alone_under_a_spec_that_compares(url: str) -> None:
    [told] = told_by("areal", url, TEXTS[:1], "test")
    assert told["error"].startswith("kritai.errors.InvalidRequest: group_too_small")


def test_ms_swift_would_take_a_missing_reward_for_zero_so_it_never_gets_one(server: FakeServer) -> None:
    named: list[dict[str, str]] = [{}, {"KRITAI_FALLBACK": "-1"}, {"KRITAI_FALLBACK": "nan"}]
    raised, fallen, taken = told_by("ms_swift", server.url, ["1", "none"], "train", *named)
    assert raised["error"].startswith("kritai.errors.NoScore")
    assert fallen["values"] == [[1.0, -1.0]]
    # ms-swift's value for None, by its own arithmetic.
    assert taken["values"] == [[1.0, 0.0]]
