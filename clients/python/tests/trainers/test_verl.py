"""verl's own loading of reward functions and its own reward manager, with the shims, against the
running stack."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tiny_policy import GROUP, PROGRAMS, PROMPTS, tokenizer

from kritai.gather import forget_shared


@pytest.fixture(autouse=True)
def _environment(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    forget_shared()
    monkeypatch.setenv("KRITAI_BASE_URL", url)


def configuration(shim: str, **reward_kwargs: Any) -> Any:
    """The `reward` part of a trainer's configuration, as its command line would set it."""
    from omegaconf import OmegaConf

    function = {"path": f"pkg://kritai.shims.{shim}", "name": "compute_score", "reward_kwargs": reward_kwargs}
    manager = {"source": "register", "name": "naive"}
    return OmegaConf.create({"reward": {"custom_reward_function": function, "reward_manager": manager}})


def batch(program: str, words: Any) -> Any:
    """One sample as verl's agent loop hands it to the reward manager."""
    import numpy
    import torch
    from verl import DataProto

    ids = {name: torch.tensor([words.encode(text)]) for name, text in (("prompts", PROMPTS[0]), ("responses", program))}
    row = {"data_source": "d", "reward_model": {"ground_truth": "8"}, "extra_info": {"question": PROMPTS[0]}}
    columns = {name: numpy.array([value], dtype=object) for name, value in row.items()}
    return DataProto.from_dict({**ids, "attention_mask": torch.ones(1, 2, dtype=torch.long)}, non_tensors=columns)


def scored(config: Any, programs: list[str]) -> list[dict[str, Any]]:
    async def run() -> list[dict[str, Any]]:
        from verl.trainer.ppo.reward import load_reward_manager

        words = tokenizer()
        manager = load_reward_manager(config, words)
        samples = [manager.run_single(batch(program, words)) for program in programs]
        return list(await asyncio.gather(*samples))

    return asyncio.run(run())


@pytest.mark.parametrize("shim", ["verl_reward", "verl_gathered"])
def test_verls_reward_manager_gives_each_sample_the_reward_of_its_group(
    shim: str, expected: list[float | None]
) -> None:
    results = scored(configuration(shim, group_size=len(GROUP)), GROUP)
    assert [result["reward_score"] for result in results] == expected
    assert len({frozenset(result["reward_extra_info"]) for result in results}) == 1


@pytest.mark.parametrize(("shim", "flag"), [("verl_reward", "kritai_failed"), ("verl_gathered", "rm_fallback")])
def test_a_sample_without_a_score_is_the_declared_fallback_flagged_under_the_same_keys(shim: str, flag: str) -> None:
    [alone] = scored(configuration(shim, group_size=1, fallback=-0.5), [PROGRAMS[1]])
    judged = scored(configuration(shim, group_size=2, fallback=-0.5), PROGRAMS[:2])
    assert (alone["reward_score"], alone["reward_extra_info"][flag]) == (-0.5, 1)
    assert [result["reward_extra_info"][flag] for result in judged] == [0, 0]
    assert set(alone["reward_extra_info"]) == set(judged[0]["reward_extra_info"])
