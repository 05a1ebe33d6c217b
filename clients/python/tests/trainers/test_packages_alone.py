"""verifiers' task of NeMo-Gym, AReaL's workflow, eval-protocol's remote function and ART's RULER by
their own code, each in the process that drives it for the trainers' table, against the running stack."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tiny_policy import PROGRAMS, PROMPTS

import kritai
from kritai import Kritai

DRIVER = Path(__file__).parents[1] / "drive_trainers.py"
TEXTS = [PROGRAMS[0], PROGRAMS[4], PROGRAMS[1]]


def driven(tool: str, url: str, texts: list[str], split: str = "train") -> list[Any]:
    """What the tool would train on."""
    source = str(Path(kritai.__file__).parents[1])
    plan = {"groups": [{"prompt": PROMPTS[0], "texts": texts}], "split": split, "size": len(texts)}
    done = subprocess.run(
        [sys.executable, str(DRIVER), tool],
        env={**os.environ, "KRITAI_BASE_URL": url, "KRITAI_GROUP_SIZE": str(len(texts)), "PYTHONPATH": source},
        input=json.dumps({**plan, "scale": 1, "late_s": 0}),
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    return [*json.loads(done.stdout.removeprefix("ready\n"))["values"][0]]


@pytest.mark.parametrize(
    ("tool", "told"),
    [
        ("areal", lambda reward: reward),
        ("verifiers", lambda reward: reward),
        # The default spec's rewards lie between -1 and 1.
        ("eval_protocol", lambda reward: (reward + 1) / 2),
        ("art", lambda reward: reward),
    ],
)
def test_a_groups_samples_have_the_rewards_of_their_group(tool: str, told: Any, url: str) -> None:
    with Kritai(url) as client:
        rewards = client.rewards([{"prompt": PROMPTS[0], "rollouts": [{"text": text} for text in TEXTS]}]).flat
    assert len(set(rewards)) > 1
    assert driven(tool, url, TEXTS) == pytest.approx([told(reward) for reward in rewards])


@pytest.mark.parametrize("tool", ["areal", "verifiers", "eval_protocol"])
def test_a_sample_of_validation_alone_is_zero_at_once(tool: str, url: str) -> None:
    assert driven(tool, url, TEXTS[:1], "test") == [0.0]
