"""Drives the installed trainers' own code, for `npm run lab -- trainers`: plans in JSON on stdin, a
process for each once what they import is there; on stdout the numbers that each would train on, and how
long they took. Run in the environment of `run-tests.sh --trainers`."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import importlib.metadata
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "trainers"))
import packages
import packages_alone as alone
import tiny_policy
from drive_shims import meet, patience
from fake_server import Reply, serving
from fork_server import serve

Groups = list[dict[str, Any]]
Rows = list[tuple[str, str]]
Values = list[float | None]


def words_of(rows: Rows) -> Any:
    """A vocabulary in which every prompt and every program is one token."""
    return tiny_policy.tokenizer(list(dict.fromkeys(text for row in rows for text in row)))


def openrlhf(plan: dict[str, Any], rows: Rows) -> Values:
    deadline_ms = max(1_000, round(144_000 * plan["scale"]))
    query = f"group_size={plan['size']}&run_id=openrlhf&deadline_ms={deadline_ms}"
    url = f"{os.environ['KRITAI_BASE_URL']}/openrlhf/get_reward?{query}"
    samples = asyncio.run(packages.openrlhf_samples(AGENT, url, rows, words_of(rows), waits=plan["waits"]))
    return [None if sample["reward"] is None else float(sample["reward"][0]) for sample in samples]


def verl(shim: str, plan: dict[str, Any], rows: Rows) -> Values:
    timed = {"window_s" if shim == "verl_reward" else "timeout_s": 300 * plan["scale"], **patience(plan)}
    config = packages.verl_configuration(shim, group_size=plan["size"], **timed)
    results = asyncio.run(packages.verl_scored(config, rows, words_of(rows), plan["split"], plan["waits"]))
    return [float(result["reward_score"]) for result in results]


def trl(plan: dict[str, Any], rows: Rows) -> Values:
    from kritai.shims.trl_reward import kritai_reward

    words = words_of(rows)
    prompts, texts = [prompt for prompt, _ in rows], [text for _, text in rows]
    together = {"gather": True, "num_generations": plan["size"]} if "world" in plan else {}
    function = kritai_reward(**together, **patience(plan))
    trainer = packages.trl_trainer(function, words, tiny_policy.model(len(words)), prompts, plan["size"])
    inputs = [{"prompt": prompt} for prompt in prompts]
    rewards = trainer._calculate_rewards(inputs, prompts, texts, [words.encode(text) for text in texts])
    # TRL's own gathering has those of all processes.
    first = plan["world"]["rank"] * len(rows) if "world" in plan else 0
    return [None if value != value else value for value in rewards[first : first + len(rows), 0].tolist()]


def grouped(rows: Rows) -> list[tuple[str, list[str]]]:
    prompts = dict.fromkeys(prompt for prompt, _ in rows)
    return [(prompt, [text for other, text in rows if other == prompt]) for prompt in prompts]


def tinker(plan: dict[str, Any], rows: Rows) -> Values:
    words = words_of([*rows, ("User:", "Assistant:")])
    rewards = asyncio.run(packages.tinker_rewards(grouped(rows), words, patience(plan)))
    return [reward for group in rewards for reward in group]


def atropos(plan: dict[str, Any], rows: Rows) -> Values:
    with serving(lambda request, number: Reply(body={})) as trainer:
        scores = asyncio.run(packages.atropos_scores(grouped(rows), words_of(rows), trainer.url, patience(plan)))
    sizes = [len(texts) for _, texts in grouped(rows)]
    lost: list[Values] = [[None] * size for size in sizes]
    return [value for group, none in zip(scores, lost, strict=True) for value in group or none]


def skyrl(plan: dict[str, Any], rows: Rows) -> Values:
    return [*packages.skyrl_rewards(rows, plan["split"], plan["waits"])]


def areal(plan: dict[str, Any], rows: Rows) -> Values:
    return [*asyncio.run(alone.areal_rewards(OPENED, rows, words_of(rows), plan["split"], plan["waits"]))]


def verifiers(plan: dict[str, Any], rows: Rows) -> Values:
    trains = plan["split"] == "train"
    waits_s = plan.get("patience_s", 300 * plan["scale"])
    deadline_ms = max(1_000, round(800 * waits_s))
    headers = {"kritai-group-size": str(plan["size"]), "kritai-deadline-ms": str(deadline_ms)}
    given = headers if trains else {"kritai-group-size": "1", "kritai-on-failure": "0"}
    url = os.environ["KRITAI_BASE_URL"]
    return [*asyncio.run(alone.verifiers_rewards(OPENED, url, given, rows, plan["waits"], waits_s))]


def eval_protocol(plan: dict[str, Any], rows: Rows) -> Values:
    trains = plan["split"] == "train"
    deadline_ms = max(1_000, round(240_000 * plan["scale"]))
    training = f"group_size={plan['size']}&deadline_ms={deadline_ms}"
    query = training if trains else "group_size=1&on_failure=-1"
    endpoint = f"{os.environ['KRITAI_BASE_URL']}/evaluate?{query}"
    patience = {"tries": 10 if trains else 1, "pause_s": 8 * plan["scale"]}
    return [*asyncio.run(alone.eval_protocol_scores(OPENED, endpoint, rows, plan["waits"], **patience))]


def ms_swift(plan: dict[str, Any], rows: Rows) -> Values:
    return [*alone.ms_swift_rewards(OPENED, rows, plan["size"])]


def roll(plan: dict[str, Any], rows: Rows) -> Values:
    worker = roll_stand_in.worker(words_of(rows))

    async def batch() -> list[list[float]]:
        calls = (roll_stand_in.rewards(worker, prompt, texts) for prompt, texts in grouped(rows))
        return list(await asyncio.gather(*calls))

    return [reward for group in asyncio.run(batch()) for reward in group]


def roll_gathered(plan: dict[str, Any], rows: Rows) -> Values:
    worker = roll_stand_in.worker(words_of(rows))
    calls: list[Any] = [lambda row=row: roll_stand_in.rewards(worker, row[0], [row[1]]) for row in rows]
    return [reward for [reward] in asyncio.run(alone.side_by_side(calls, plan["waits"]))]


def art(plan: dict[str, Any], rows: Rows) -> Values:
    url = os.environ["KRITAI_BASE_URL"]
    told = {"extra_litellm_params": {"api_base": f"{url}/ruler/v1", "api_key": "none", "num_retries": 10}}
    scores = asyncio.run(alone.art_scores(OPENED, url, grouped(rows), **told))
    return [score for group in scores for score in group]


def imports(tool: str) -> None:
    """Imports that take seconds, before the plan is read."""
    global AGENT, OPENED, roll_stand_in
    if tool == "openrlhf":
        AGENT = packages.openrlhf_agent()
    elif tool in ALONE:
        OPENED = ALONE[tool]()
        if tool == "areal":
            importlib.import_module("areal.api.cli_args")
    elif tool.startswith("roll"):
        roll_stand_in = importlib.import_module("roll_stand_in")
        importlib.import_module("verl")
    elif tool in MODULES:
        for module in MODULES[tool]:
            importlib.import_module(module)
    else:
        config, words = packages.verl_configuration(tool, group_size=8), tiny_policy.tokenizer()
        packages.verl_batch("p", "a", words)
        asyncio.run(packages.verl_scored(config, [], words))


AGENT: Any = None
OPENED: Any = None
roll_stand_in: Any = None
ALONE: dict[str, Callable[[], Any]] = {
    "areal": alone.areal_workflow,
    "verifiers": alone.verifiers_tasks,
    "eval_protocol": alone.eval_protocol_function,
    "art": alone.art_ruler,
    "ms_swift": alone.ms_swift_scoring,
}
MODULES = {
    "trl": ("datasets", "trl"),
    "tinker": ("tinker", "tinker_cookbook.rl.rollouts", "kritai.shims.tinker_group"),
    "atropos": ("kritai.shims.atropos_env",),
    "skyrl": ("skyrl_gym", "kritai.shims.skyrl_env"),
}
PACKAGES = (
    *("openrlhf", "verl", "trl", "tinker-cookbook", "atroposlib", "skyrl-gym"),
    *("areal", "verifiers", "eval-protocol", "openpipe-art", "ms-swift"),
)
TOOLS: dict[str, Callable[[dict[str, Any], Rows], Values]] = {
    "openrlhf": openrlhf,
    "verl_reward": lambda plan, rows: verl("verl_reward", plan, rows),
    "verl_gathered": lambda plan, rows: verl("verl_gathered", plan, rows),
    "trl": trl,
    "tinker": tinker,
    "atropos": atropos,
    "skyrl": skyrl,
    "areal": areal,
    "verifiers": verifiers,
    "eval_protocol": eval_protocol,
    "art": art,
    "ms_swift": ms_swift,
    "roll": roll,
    "roll_gathered": roll_gathered,
}


def answered(ask: Callable[[dict[str, Any], Rows], Values], plan: dict[str, Any]) -> dict[str, Any]:
    """The numbers that the tool would train on, and how long they took."""
    sizes = [len(group["texts"]) for group in plan["groups"]]
    waits = [plan["late_s"] * (at == size - 1) for size in sizes for at in range(size)]
    if "world" in plan:
        meet(plan["world"])
    plan["waits"] = waits if plan["late_s"] > 0 else []
    asked = [(group["prompt"], text) for group in plan["groups"] for text in group["texts"]]
    began = time.monotonic()
    flat = ask(plan, asked)
    return {"values": [[flat.pop(0) for _ in range(size)] for size in sizes], "took_s": time.monotonic() - began}


if __name__ == "__main__":
    if sys.argv[1] == "versions":
        print(json.dumps({name: importlib.metadata.version(name) for name in PACKAGES}))
        raise SystemExit
    with contextlib.redirect_stdout(sys.stderr):
        imports(sys.argv[1])
    serve(lambda plan: answered(TOOLS[sys.argv[1]], plan))
