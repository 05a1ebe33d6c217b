"""Owns how the installed trainers ask for rewards: each package's own code, with as little of it as
that needs. Knows no test."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import sys
import tempfile
import types
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


async def openrlhf_samples(
    agent: Any, reward_url: str, rows: list[tuple[str, str]], words: Any, label: str = "8"
) -> list[dict[str, Any]]:
    """Samples as an experience maker gets them: (prompt, program) each generated and rewarded, side
    by side."""
    params = SimpleNamespace(max_tokens=1, logprobs=None)
    executor = agent.SingleTurnAgentExecutor(reward_url)
    running = [
        executor.execute(prompt, label, params, 64, words, Engine(words.encode(program)[0])) for prompt, program in rows
    ]
    return list(await asyncio.gather(*running))


def verl_configuration(shim: str, manager: str = "naive", **reward_kwargs: Any) -> Any:
    """The `reward` part of a trainer's configuration, as its command line would set it."""
    from omegaconf import OmegaConf

    function = {"path": f"pkg://kritai.shims.{shim}", "name": "compute_score", "reward_kwargs": reward_kwargs}
    named = {"source": "register", "name": manager}
    reward = {"custom_reward_function": function, "reward_manager": named}
    return OmegaConf.create({"reward": reward, "trainer": {"experiment_name": "e"}})


def verl_batch(prompt: str, program: str, words: Any, split: str | None = None) -> Any:
    """One sample as verl's agent loop hands it to the reward manager."""
    import numpy
    import torch
    from verl import DataProto

    ids = {name: torch.tensor([words.encode(text)]) for name, text in (("prompts", prompt), ("responses", program))}
    extra = {"question": prompt, **({} if split is None else {"split": split})}
    row = {"data_source": "d", "reward_model": {"ground_truth": "8"}, "extra_info": extra}
    columns = {name: numpy.array([value], dtype=object) for name, value in row.items()}
    return DataProto.from_dict({**ids, "attention_mask": torch.ones(1, 2, dtype=torch.long)}, non_tensors=columns)


async def verl_scored(
    config: Any, rows: list[tuple[str, str]], words: Any, split: str | None = None
) -> list[dict[str, Any]]:
    """What verl's own reward manager makes of (prompt, program) rows, side by side."""
    from verl.trainer.ppo.reward import load_reward_manager

    manager = load_reward_manager(config, words)
    samples = [manager.run_single(verl_batch(prompt, program, words, split)) for prompt, program in rows]
    return list(await asyncio.gather(*samples))


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
