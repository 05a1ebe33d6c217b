"""The real stack as the end-to-end tests run it: started from the repository, ended by its process
id."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kritai import Kritai, NotFound
from kritai.run_log_types import GroupRow

REPOSITORY = Path(__file__).resolve().parents[3]
NODE = REPOSITORY / "node_modules" / ".bin" / "node"
STARTS_WITHIN_S = 120


def database_variables() -> dict[str, str]:
    """DATABASE_URL, where the machine has one: the stack then stores there instead of in the
    embedded database."""
    url = os.environ.get("DATABASE_URL")
    return {"DATABASE_URL": url} if url else {}


def stored_rows(run_id: str, data_dir: Path) -> list[dict[str, Any]]:
    """A run's rollouts as Postgres holds them, by step, group and rollout. The stack on `data_dir`
    must have ended."""
    program = [str(NODE), "test/clients/stored-rows.ts", run_id, str(data_dir)]
    printed = subprocess.run(
        program,
        cwd=REPOSITORY,
        env={"PATH": os.environ["PATH"], **database_variables()},
        capture_output=True,
        text=True,
    )
    assert printed.returncode == 0, printed.stderr
    return [json.loads(line) for line in printed.stdout.splitlines()]


def logged_groups(client: Kritai, run_id: str, count: int) -> list[GroupRow]:
    """A run's groups by step and id, as soon as the queue has stored `count` of them."""
    ends = time.monotonic() + STARTS_WITHIN_S
    while True:
        try:
            groups = sorted(client.log.groups(run_id), key=lambda row: (row["step"], row["request_id"], row["id"]))
        except NotFound:  # nothing of the run is stored yet
            groups = []
        if len(groups) >= count or time.monotonic() > ends:
            return groups
        time.sleep(0.02)


@contextmanager
def running_stack(data_dir: Path, **variables: str) -> Iterator[str]:
    """The base URL of a stack on a free loopback port, held to production's limits; it embeds what
    no variable names."""
    assert NODE.exists(), "these tests start the repository's stack: run `npm ci` there first"
    kept = {name: os.environ[name] for name in ("HOME", "PATH", "TMPDIR") if name in os.environ}
    if "DATABASE_URL" in variables:
        migrate = [str(NODE), "scripts/stack/commands/migrate.ts"]
        subprocess.run(migrate, cwd=REPOSITORY, env={**kept, **variables}, check=True, capture_output=True)
    program = "test/harness/production-limits/start.ts"
    with running(program, {**kept, "PORT": "0", "DATA_DIR": str(data_dir), **variables}) as address:
        yield address


@contextmanager
def running_gateway(engine_url: str) -> Iterator[str]:
    """The base URL of the GPU gateway on a free loopback port, before one engine."""
    names = {"ENGINE_URL": engine_url, "ENGINE_MODEL": "scripted"}
    with running("gpu-backend/gateway/main.ts", {"PATH": os.environ["PATH"], "PORT": "0", **names}) as address:
        yield address


@contextmanager
def running(program: str, variables: dict[str, str]) -> Iterator[str]:
    """The address at which one of the repository's servers says that it is ready."""
    process = subprocess.Popen(
        [NODE, program],
        cwd=REPOSITORY,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    lines: queue.Queue[str | None] = queue.Queue()
    reader = threading.Thread(target=_read, args=(process, lines), daemon=True)
    reader.start()
    try:
        yield _ready(lines)
    finally:
        os.kill(process.pid, signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)
            process.wait(20)
        reader.join(5)
    assert process.returncode == 0, f"{program} ended badly:\n" + "".join(_rest(lines))


def _read(process: subprocess.Popen[str], lines: queue.Queue[str | None]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        lines.put(line)
    lines.put(None)


def _rest(lines: queue.Queue[str | None]) -> Iterator[str]:
    while (line := lines.get_nowait()) is not None:
        yield line


def _ready(lines: queue.Queue[str | None]) -> str:
    said = []
    while (line := lines.get(timeout=STARTS_WITHIN_S)) is not None:
        said.append(line)
        if line.startswith("ready "):
            return line.split()[1]
    raise RuntimeError("it ended before it was ready:\n" + "".join(said))
