"""examples/best_of_n.py as it is pasted, with Cohere's SDK."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from stack import REPOSITORY, running_stack


def test_it_prints_the_right_program_first(tmp_path: Path) -> None:
    with running_stack(tmp_path) as url:
        program = [sys.executable, str(REPOSITORY / "examples" / "best_of_n.py"), "--url", url]
        done = subprocess.run(program, env=dict(os.environ), capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    first, *_, last = done.stdout.splitlines()
    assert first.endswith("  print(int(input()) * 2)")
    assert last == "best: candidate 1"
