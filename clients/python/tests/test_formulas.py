"""Rewards of verdict texts that no server is asked for: held to the published code's vectors, to cases
by hand, and to what docs/systems.jsonl says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kritai import formulas

ROOT = Path(__file__).resolve().parents[3]


def vectors(name: str) -> Any:
    return json.loads((ROOT / "test/vectors" / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", vectors("formulas.json"), ids=lambda case: case["why"])
def test_a_text_gets_its_reward(case: dict[str, Any]) -> None:
    found = getattr(formulas, case["formula"])(*case["args"])
    assert (found.content, found.format) == (pytest.approx(case["content"]), case["format"])
    assert found.reward == pytest.approx(case["content"] + case["format"])


@pytest.mark.parametrize("case", vectors("verdicts.json")["judgelrm_original"])
def test_judgelrm_is_that_of_its_own_code(case: dict[str, Any]) -> None:
    blocks = "".join(f"<answer>{score}</answer>" for score in case["scores"] or [])
    rates = [expected / 10 for expected in case["expected"]]
    lengths = (case["response_length"], case["max_response_length"])
    found = formulas.judgelrm(f"<think>t</think>{blocks}", rates, *lengths)
    assert found.format == case["format"]
    assert found.reward == pytest.approx(case["total"])


def test_the_rows_of_published_systems_get_what_they_say() -> None:
    rows = [json.loads(line) for line in (ROOT / "docs/systems.jsonl").read_text(encoding="utf-8").splitlines()]
    for row in rows:
        if "formula" in row:
            name, calls = row["formula"]["name"], row["formula"]["calls"]
            found = [round(getattr(formulas, name)(*call).reward, 6) for call in calls]
            assert found == row["check"]["rewards"], row["name"]
