"""A process that forks for each plan: what its children answer, raise, or die of."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

SERVED = """
import os
from fork_server import serve

def answer(plan):
    print("discarded")
    if plan["how"] == "raises":
        raise LookupError("no score")
    if plan["how"] == "dies":
        os._exit(3)
    return {"values": [plan["id"], os.environ["NAMED"]]}

serve(answer)
"""


def test_each_plan_has_a_process_with_its_own_variables_and_a_line_for_its_end() -> None:
    hows = ["answers", "raises", "dies", "answers"]
    plans = [{"id": at, "how": how, "env": {"NAMED": f"v{at}"}} for at, how in enumerate(hows)]
    done = subprocess.run(
        [sys.executable, "-c", SERVED],
        cwd=Path(__file__).parent,
        input="".join(f"{json.dumps(plan)}\n" for plan in plans),
        capture_output=True,
        text=True,
        timeout=60,
    )
    ready, *lines = done.stdout.splitlines()
    told: dict[int, Any] = {line.pop("id"): line for line in map(json.loads, lines)}
    assert (done.returncode, ready) == (0, "ready")
    assert told == {
        0: {"values": [0, "v0"]},
        1: {"error": "LookupError: no score"},
        2: {"error": "ended with 3"},
        3: {"values": [3, "v3"]},
    }
    assert "Traceback" in done.stderr
