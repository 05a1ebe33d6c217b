"""How the installed trainers ask for rewards: each package's own code, with as little of it as that
needs."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import sys
import tempfile
import types
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any


def openrlhf_agent() -> Any:
    """openrlhf.utils.agent alone: what its package imports besides needs a GPU."""
    found = importlib.util.find_spec("openrlhf")
    assert found is not None
    assert found.origin is not None
    for name, folder in (("openrlhf", ""), ("openrlhf.utils", "utils")):
        package = types.ModuleType(name)
        package.__path__ = [str(Path(found.origin).parent / folder)]
        sys.modules[name] = package
    return importlib.import_module("openrlhf.utils.agent")


class Engine:
    """Generates the one program that it was made for."""

    def __init__(self, token: int) -> None:
        self._token = token

    async def generate(self, prompt: object, params: object, **more: object) -> Any:
        return SimpleNamespace(outputs=[SimpleNamespace(token_ids=[self._token], finish_reason="stop", logprobs=None)])


async def side_by_side(samples: list[Any], waits: Sequence[float]) -> list[Any]:
    """All of them, each begun after its seconds; none: at once."""

    async def begun(at: int) -> Any:
        await asyncio.sleep(waits[at] if waits else 0)
        return await samples[at]

    return list(await asyncio.gather(*map(begun, range(len(samples)))))


async def openrlhf_samples(
    agent: Any, reward_url: str, rows: list[tuple[str, str]], words: Any, label: str = "8", waits: Sequence[float] = ()
) -> list[dict[str, Any]]:
    """Samples as an experience maker gets them: (prompt, program) each generated and rewarded, side
    by side."""
    params = SimpleNamespace(max_tokens=1, logprobs=None)
    executor = agent.SingleTurnAgentExecutor(reward_url)
    running = [
        executor.execute(prompt, label, params, 64, words, Engine(words.encode(program)[0])) for prompt, program in rows
    ]
    return await side_by_side(running, waits)


def verl_configuration(shim: str, manager: str = "naive", **reward_kwargs: Any) -> Any:
    """The `reward` part of a trainer's configuration, as its command line would set it."""
    from omegaconf import OmegaConf

    function = {"path": f"pkg://kritai.shims.{shim}", "name": "compute_score", "reward_kwargs": reward_kwargs}
    named = {"source": "register", "name": manager}
    reward = {"custom_reward_function": function, "reward_manager": named}
    return OmegaConf.create({"reward": reward, "trainer": {"experiment_name": "e"}})


VERL_VERSION = 6
"""The version of the weights, as verl's rollout servers state it: step 7."""


def verl_batch(prompt: str, program: str, words: Any, split: str | None = None) -> Any:
    """One sample as verl's agent loop hands it to the reward manager, with what its rollout server
    states."""
    import numpy
    import torch
    from verl import DataProto

    ids = {name: torch.tensor([words.encode(text)]) for name, text in (("prompts", prompt), ("responses", program))}
    extra = {"question": prompt, **({} if split is None else {"split": split})}
    versions = ("global_steps", "min_global_steps", "max_global_steps")
    served: dict[str, Any] = dict.fromkeys(versions, VERL_VERSION)
    served |= {"num_cached_tokens": len(program), "turn_scores": [], "tool_rewards": []}
    row = {"data_source": "d", "reward_model": {"ground_truth": "8"}, "extra_info": extra, "tool_extra_fields": served}
    columns = {name: numpy.array([value], dtype=object) for name, value in row.items()}
    return DataProto.from_dict({**ids, "attention_mask": torch.ones(1, 2, dtype=torch.long)}, non_tensors=columns)


async def verl_scored(
    config: Any, rows: list[tuple[str, str]], words: Any, split: str | None = None, waits: Sequence[float] = ()
) -> list[dict[str, Any]]:
    """The results of verl's own reward manager for (prompt, program) rows, side by side."""
    from verl.trainer.ppo.reward import load_reward_manager

    manager = load_reward_manager(config, words)
    samples = [manager.run_single(verl_batch(prompt, program, words, split)) for prompt, program in rows]
    return await side_by_side(samples, waits)


def verl_gdpo_advantages(results: list[dict[str, Any]], keys: list[str]) -> list[float]:
    """verl's GDPO over one group's results, whose responses are one token and the end."""
    import numpy
    import torch
    from omegaconf import OmegaConf
    from verl.trainer.ppo.core_algos import compute_gdpo_outcome_advantage

    n = len(results)
    extra = {key: numpy.array([result["reward_extra_info"][key] for result in results]) for key in keys}
    mask = torch.ones(n, 1)
    advantages, _ = compute_gdpo_outcome_advantage(
        token_level_rewards=torch.zeros(n, 1),
        response_mask=mask,
        index=numpy.array(["p"] * n),
        config=OmegaConf.create({"gdpo_reward_keys": keys}),
        non_tensor_batch=extra,
        batch={"prompts": torch.zeros(n, 1), "attention_mask": torch.ones(n, 2, dtype=torch.long)},
    )
    return [float(value) for value in advantages[:, 0]]


def trl_trainer(reward: Any, words: Any, model: Any, prompts: list[str], generations: int) -> Any:
    """A GRPOTrainer on the CPU whose reward function is this one."""
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    config = GRPOConfig(
        output_dir=tempfile.mkdtemp(),
        per_device_train_batch_size=generations,
        num_generations=generations,
        max_completion_length=1,
        report_to="none",
        use_cpu=True,
        bf16=False,
        save_strategy="no",
    )
    rows = Dataset.from_dict({"prompt": prompts})
    return GRPOTrainer(model=model, reward_funcs=[reward], args=config, train_dataset=rows, processing_class=words)


def tinker_policy(words: Any, texts: list[str]) -> Any:
    """Answers with one of the texts after the other, each a token, and the end."""
    import tinker
    from tinker_cookbook.completers import TokenCompleter, TokensWithLogprobs

    left = list(texts)

    class Policy(TokenCompleter):  # type: ignore[misc]
        async def __call__(self, model_input: tinker.ModelInput, stop: Any, *, max_tokens: Any = None) -> Any:
            tokens = [*words.encode(left.pop(0)), words.eos_token_id]
            return TokensWithLogprobs(tokens=tokens, maybe_logprobs=[0.0] * len(tokens))

    return Policy()


def tinker_builder(words: Any, prompt: str, members: int, row: Any = None, **options: Any) -> Any:
    """The shim's builder of one prompt's group."""
    from tinker_cookbook.renderers.role_colon import RoleColonRenderer

    from kritai.shims.tinker_group import KritaiGroupBuilder

    convo = [{"role": "user", "content": prompt}]
    return KritaiGroupBuilder(convo, RoleColonRenderer(words), members, row=row or {}, options=options)


async def tinker_rewards(
    groups: list[tuple[str, list[str]]], words: Any, options: dict[str, float]
) -> list[list[float]]:
    """The total rewards of the cookbook's own rollouts of the groups, side by side."""
    from tinker_cookbook.rl.rollouts import do_group_rollout

    running = [
        do_group_rollout(tinker_builder(words, prompt, len(texts), **options), tinker_policy(words, texts))
        for prompt, texts in groups
    ]
    return [group.get_total_rewards() for group in await asyncio.gather(*running)]


def atropos_environment(folder: Path, trainer: str, words: Any, texts: list[str], **options: Any) -> Any:
    """An environment whose rollouts of an item are the texts, in their order, and whose trainer is at
    that address."""
    from atroposlib.envs.base import BaseEnvConfig
    from atroposlib.envs.server_handling.server_manager import ServerBaseline

    from kritai.shims.atropos_env import KritaiEnv

    words.save_pretrained(str(folder))
    left = list(texts)

    class Env(KritaiEnv):
        kritai_options = options

        async def collect_trajectory(self, item: Any) -> Any:
            text = left.pop(0)
            messages = [{"role": "user", "content": item["question"]}, {"role": "assistant", "content": text}]
            tokens = [1, *self.tokenizer.encode(text)]
            return {"tokens": tokens, "masks": [-100, *tokens[1:]], "messages": messages, "scores": 0.0}, []

        async def get_next_item(self) -> Any:
            return {"question": "p"}

        async def setup(self) -> None:
            pass

        async def evaluate(self, *args: Any, **given: Any) -> None:
            pass

    settings = {"group_size": len(texts), "tokenizer_name": str(folder), "use_wandb": False, "include_messages": True}
    config = BaseEnvConfig(rollout_server_url=trainer, **settings)
    return Env(config, ServerBaseline(), testing=True)


async def atropos_scores(
    groups: list[tuple[str, list[str]]], words: Any, trainer: str, options: dict[str, float]
) -> list[list[float] | None]:
    """The scores that each item's `handle_env` sends to the trainer, side by side; None: nothing."""
    running = []
    for prompt, texts in groups:
        env = atropos_environment(Path(tempfile.mkdtemp()), trainer, words, texts, **options)
        env.running_items["1"] = {"item": {"question": prompt}}
        running.append(env.handle_env("1"))
    return [None if group is None else group["scores"] for group in await asyncio.gather(*running)]


def skyrl_rewards(rows: list[tuple[str, str]], split: str, waits: Sequence[float]) -> list[float]:
    """Each row an environment of the gym's registry, stepped on a thread as SkyRL's generator does."""
    import time
    from concurrent.futures import ThreadPoolExecutor

    import skyrl_gym

    skyrl_gym.register(id="kritai", entry_point="kritai.shims.skyrl_env:KritaiEnv")

    def stepped(at: int) -> float:
        prompt, text = rows[at]
        time.sleep(waits[at] if waits else 0)
        env = skyrl_gym.make("kritai", env_config={}, extras={"split": split})
        env.init([{"role": "user", "content": prompt}])
        return float(env.step(text)["reward"])

    with ThreadPoolExecutor(max_workers=max(1, len(rows))) as threads:
        return list(threads.map(stepped, range(len(rows))))
