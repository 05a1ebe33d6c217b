"""`run-tests.sh --bench`: the CPU time that the client adds to a rollout, at batches of 1,024, against
a server that answers at once.

CPU time and not time on the clock, so that a busy machine changes little. The server is a separate
process and is not counted."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from fake_server import Received, Reply, rewards_reply, serving

from kritai import Kritai
from kritai.shims.trl_reward import kritai_reward
from kritai.shims.verl_reward import compute_score_batch

GROUPS, ROLLOUTS, ROUNDS = 64, 16, 15
PROGRAM = '```python\nfor i in range(int(input())):\n    print("\\t".join(str(i * k) for k in range(10)))\n```\n'
THOUGHT = 'Is it "row by row", or all at once? Say \\n, then n.\n'


def answer(request: Received, number: int) -> Reply:
    """A whole, well-formed reply; the texts, which are not numbers here, are left aside."""
    groups = [{**group, "rollouts": [{"text": "0.5"}] * len(group["rollouts"])} for group in request.json["groups"]]
    return rewards_reply(Received("POST", request.path, {}, json.dumps({**request.json, "groups": groups}).encode()))


def cpu_ms_of_a_rollout(call: Callable[[], Any]) -> list[float]:
    call()
    spent = []
    for _ in range(ROUNDS):
        before = time.process_time()
        scored = call()
        spent.append((time.process_time() - before) * 1000 / len(scored))
    return spent


def columns(thought_chars: int) -> tuple[list[str], list[str]]:
    """Prompts and completions, a row a rollout."""
    thinking = f"<think>{THOUGHT * (thought_chars // len(THOUGHT))}</think>\n"
    prompts = [f"Problem {group}: print a table." for group in range(GROUPS) for _ in range(ROLLOUTS)]
    return prompts, [f"{thinking}{PROGRAM}# {row}" for row in range(len(prompts))]


def workloads(url: str) -> dict[str, Callable[[], Any]]:
    prompts, completions = columns(2_000)
    _, long_completions = columns(60_000)
    groups: Any = [
        {"prompt": prompts[at], "rollouts": [{"text": text} for text in completions[at : at + ROLLOUTS]]}
        for at in range(0, len(prompts), ROLLOUTS)
    ]
    client = Kritai(url)
    trl, trl_short = kritai_reward(url), kritai_reward(url, drop_thinking=True)
    infos = [{"question": prompt} for prompt in prompts]
    return {
        "Kritai.rewards, 2 kB a rollout": lambda: client.rewards(groups).flat,
        "TRL shim, 2 kB a rollout": lambda: asyncio.run(trl(prompts=prompts, completions=completions)),
        "TRL shim, 60 kB a rollout": lambda: asyncio.run(trl(prompts=prompts, completions=long_completions)),
        "TRL shim, 60 kB, drop_thinking": lambda: asyncio.run(trl_short(prompts=prompts, completions=long_completions)),
        "verl batch shim, 2 kB a rollout": lambda: compute_score_batch(infos, completions, infos, infos),
    }


def measure() -> None:
    server = subprocess.Popen(
        [sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        os.environ["KRITAI_BASE_URL"] = url
        print(f"CPU ms a rollout, {ROUNDS} batches of {GROUPS * ROLLOUTS}:  median   worst")
        for name, call in workloads(url).items():
            spent = cpu_ms_of_a_rollout(call)
            print(f"  {name:<36}{statistics.median(spent):10.4f}{max(spent):8.4f}")
        print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    finally:
        server.communicate()


def serve() -> None:
    with serving(answer) as running:
        print(running.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    serve() if "--serve" in sys.argv else measure()
