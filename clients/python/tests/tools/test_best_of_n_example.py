"""examples/best_of_n.py as it is pasted, with Cohere's SDK."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from stack import REPOSITORY, running_stack


def test_a_wrong_address_and_a_wrong_key_are_one_line(tmp_path: Path) -> None:
    digest = hashlib.sha256(b"right").hexdigest()
    with running_stack(tmp_path, API_KEYS=f"trainer:{digest}") as url:
        for address, reason in (("http://127.0.0.1:9", "Connection refused"), (url, "401: The key is not valid")):
            program = [sys.executable, str(REPOSITORY / "examples" / "best_of_n.py"), "--url", address]
            done = subprocess.run(program, env=dict(os.environ), capture_output=True, text=True, timeout=200)
            assert done.returncode == 1
            assert done.stderr.startswith(f"{address}: ")
            assert reason in done.stderr
            assert len(done.stderr.splitlines()) == 1


def test_it_prints_the_right_program_first(tmp_path: Path) -> None:
    with running_stack(tmp_path) as url:
        program = [sys.executable, str(REPOSITORY / "examples" / "best_of_n.py"), "--url", url]
        done = subprocess.run(program, env=dict(os.environ), capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    first, *_, last = done.stdout.splitlines()
    assert first.endswith("  print(int(input()) * 2)")
    assert last == "best: candidate 1"
