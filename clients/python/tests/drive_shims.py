"""Drives each shim as its tool does, for `npm run lab -- trainers`: a plan in JSON on stdin; on stdout
the numbers that the tool would train on, and how long they took. The tools' modules are stubbed, so
none has to be installed."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import sys
import time
import types
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

Groups = list[dict[str, Any]]
Values = list[list[float | None]]


def stand_in(name: str, **members: Any) -> None:
    parts = name.split(".")
    for at in range(1, len(parts) + 1):
        sys.modules.setdefault(".".join(parts[:at]), types.ModuleType(".".join(parts[:at])))
    for member, value in members.items():
        setattr(sys.modules[name], member, value)


async def one_by_one(groups: Groups, late_s: float, ask: Callable[[str, str, int], Awaitable[float]]) -> Values:
    """A separate call for each sample, all in flight at once, but the last of each group, which may be
    late."""

    async def asked(prompt: str, text: str, at: int, after_s: float) -> float:
        await asyncio.sleep(after_s)
        return await ask(prompt, text, at)

    async def of_group(group: dict[str, Any], at: int) -> list[float | None]:
        texts = group["texts"]
        waits = [0.0] * (len(texts) - 1) + [late_s]
        samples = (asked(group["prompt"], text, at, wait) for text, wait in zip(texts, waits, strict=True))
        return list(await asyncio.gather(*samples))

    return list(await asyncio.gather(*(of_group(group, at) for at, group in enumerate(groups))))


def meet(world: dict[str, int]) -> None:
    """Two processes of a training, as torchrun starts them."""
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(world["port"]), WORLD_SIZE="2")
    os.environ.update(RANK=str(world["rank"]), LOCAL_RANK=str(world["rank"]), KRITAI_GATHER="1")
    distributed: Any = importlib.import_module("torch.distributed")
    distributed.init_process_group("gloo")


def patience(plan: dict[str, Any]) -> dict[str, Any]:
    """How long a tool without a variable for it asks again."""
    return {"timeout_s": plan["patience_s"]} if "patience_s" in plan else {}


def whole_batch(groups: Groups, scored: Callable[[list[str], list[str]], Awaitable[Any]]) -> Values:
    rows = [(group["prompt"], text) for group in groups for text in group["texts"]]

    async def batch() -> list[float | None]:
        return list(await scored([prompt for prompt, _ in rows], [text for _, text in rows]))

    flat = asyncio.run(batch())
    return [[flat.pop(0) for _ in group["texts"]] for group in groups]


def verl(module: str, plan: dict[str, Any], groups: Groups) -> Values:
    compute_score = importlib.import_module(f"kritai.shims.{module}").compute_score
    settings = {"window_s" if module == "verl_reward" else "timeout_s": 300 * plan["scale"], **patience(plan)}

    async def ask(prompt: str, text: str, at: int) -> float:
        row = {"question": prompt, "split": plan["split"]}
        scored = await compute_score("d", text, f"label {at}", row, group_size=plan["size"], **settings)
        return float(scored["score"])

    return asyncio.run(one_by_one(groups, plan["late_s"], ask))


def areal(plan: dict[str, Any], groups: Groups) -> Values:
    class RLVRWorkflow:
        def __init__(self, **settings: Any) -> None:
            self.async_reward_fn: Any = None

    stand_in("areal.workflow.rlvr", RLVRWorkflow=RLVRWorkflow)
    workflow = importlib.import_module("kritai.shims.areal_reward").KritaiWorkflow(gconfig=None, tokenizer=None)

    async def ask(prompt: str, text: str, at: int) -> float:
        return float(await workflow.async_reward_fn(prompt, text, [1], [2], answer=f"label {at}", split=plan["split"]))

    return asyncio.run(one_by_one(groups, plan["late_s"], ask))


def skyrl(plan: dict[str, Any], groups: Groups) -> Values:
    stand_in("skyrl_gym.envs.base_text_env", BaseTextEnv=object, BaseTextEnvStepOutput=dict)
    environment = importlib.import_module("kritai.shims.skyrl_env").KritaiEnv

    def step(prompt: str, text: str, after_s: float) -> float:
        time.sleep(after_s)
        env = environment(extras={"split": plan["split"]})
        env.init(prompt)
        return float(env.step(text)["reward"])

    with ThreadPoolExecutor(max_workers=sum(len(group["texts"]) for group in groups)) as threads:
        running = [
            [
                threads.submit(step, group["prompt"], text, plan["late_s"] * (at == len(group["texts"]) - 1))
                for at, text in enumerate(group["texts"])
            ]
            for group in groups
        ]
        return [[one.result() for one in group] for group in running]


def trl(plan: dict[str, Any], groups: Groups) -> Values:
    together = {"gather": True, "num_generations": plan["size"]} if "world" in plan else {}
    reward = importlib.import_module("kritai.shims.trl_reward").kritai_reward(**together, **patience(plan))
    return whole_batch(groups, lambda prompts, texts: reward(prompts=prompts, completions=texts))


def ms_swift(plan: dict[str, Any], groups: Groups) -> Values:
    stand_in("swift.rewards", AsyncORM=object, orms={})
    plugin = importlib.import_module("kritai.shims.ms_swift_plugin").KritaiReward()

    def scored(prompts: list[str], texts: list[str]) -> Any:
        turn = [[{"role": "user", "content": prompt}, {"role": "assistant", "content": ""}] for prompt in prompts]
        return plugin(texts, messages=turn)

    return whole_batch(groups, scored)


def slime(plan: dict[str, Any], groups: Groups) -> Values:
    """miles and slime with --group-rm: the samples of a prompt in one call."""
    reward = importlib.import_module("kritai.shims.slime_reward").reward
    sample = types.SimpleNamespace

    async def of_group(group: dict[str, Any]) -> list[float | None]:
        rows = [sample(prompt=group["prompt"], response=text, response_length=len(text)) for text in group["texts"]]
        return list(await reward(sample(n_samples_per_prompt=plan["size"]), rows))

    async def batch() -> Values:
        return list(await asyncio.gather(*(of_group(group) for group in groups)))

    return asyncio.run(batch())


TOOLS: dict[str, Callable[[dict[str, Any], Groups], Values]] = {
    "verl_reward": lambda plan, groups: verl("verl_reward", plan, groups),
    "verl_gathered": lambda plan, groups: verl("verl_gathered", plan, groups),
    "areal": areal,
    "skyrl": skyrl,
    "trl": trl,
    "ms_swift": ms_swift,
    "slime": slime,
}

if __name__ == "__main__":
    print("ready", flush=True)
    given = json.loads(sys.stdin.read())
    if "world" in given:
        meet(given["world"])
    ask, began = TOOLS[given["tool"]], time.monotonic()
    values = ask(given, given["groups"])
    print(json.dumps({"values": values, "took_s": time.monotonic() - began}))
