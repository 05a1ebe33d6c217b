"""TRL's own trainer in two processes over gloo, whose per-device batch is half of a group."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest
from stack import logged_groups
from test_trl import in_32_bits
from two_processes import GENERATIONS, STEPS

import kritai
from kritai import Kritai


def trained(url: str, folder: Path, run_id: str) -> list[dict[str, Any]]:
    """The rows that each process wrote."""
    here = Path(__file__).parent
    program = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2"]
    done = subprocess.run(
        [*program, str(here / "two_processes.py"), url, str(folder), run_id],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(kritai.__file__).parents[1]), str(here)])},
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return [json.loads((folder / f"rank-{rank}.json").read_text()) for rank in range(2)]


def test_halves_of_groups_raise_or_are_scored_together_as_whole_groups(url: str, tmp_path: Path) -> None:
    import pandas

    run_id = f"two-{uuid.uuid4()}"
    ranks = trained(url, tmp_path, run_id)
    for told in ranks:
        assert told["world"] == 2
        assert "name num_generations" in told["unnamed"]
        assert "4 completions of a prompt, not 8" in told["named"]
    with Kritai(url) as client:
        groups = logged_groups(client, run_id, STEPS)
    # A refused step asked for nothing, and each step is one request, of whole groups.
    assert [(row["step"], len(row["rewards"])) for row in groups] == [(step, GENERATIONS) for step in range(STEPS)]
    tables = [pandas.read_parquet(path) for path in sorted((tmp_path / "gathered" / "completions").glob("*.parquet"))]
    for step, (row, table) in enumerate(zip(groups, tables, strict=True)):
        rewards = [float(reward) for reward in row["rewards"] if reward is not None]
        # The table holds the rows of both processes, in the order of their ranks.
        assert list(table["kritai"]) == [in_32_bits(reward) for reward in rewards]
        assert ranks[0]["means"][step] == pytest.approx(statistics.mean(rewards))
    assert len({reward for row in groups for reward in row["rewards"]}) > 1
