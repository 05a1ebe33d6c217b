"""The training examples as they are pasted, each with a tiny random model for its own."""

from __future__ import annotations

import importlib.util
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from stack import REPOSITORY, logged_groups, running_stack
from tiny_policy import PROGRAMS, model, tokenizer

from kritai import Kritai
from kritai.gather import forget_shared

EXAMPLES = REPOSITORY / "examples"
ANSWERS = [f"It is \\boxed{{{answer}}}." for answer in (24, 8, 180, 42)]


def example(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tiny_model(folder: Path, texts: list[str]) -> Path:
    """A model on disk whose tokens are whole texts, so that it writes them by chance."""
    words = tokenizer(texts)
    words.chat_template = "{% for message in messages %}{{ message['content'] }}{% endfor %}"
    words.save_pretrained(folder)
    model(len(words)).save_pretrained(folder)
    return folder


def trained(name: str, policy: Path, url: str, output: Path) -> None:
    arguments = ["--model", str(policy), "--url", url, "--steps", "2", "--completion-tokens", "1"]
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py"), *arguments, "--output", str(output)],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY / "clients" / "python" / "src"), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        timeout=230,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]


@pytest.mark.parametrize("name", ["trl_grpo", "trl_maths"])
def test_the_example_trains_and_its_run_is_logged(name: str, tmp_path: Path) -> None:
    module = example(name)
    prompts = module.PROMPTS if name == "trl_grpo" else [module.prompt_of(row) for row in module.ROWS]
    policy = tiny_model(tmp_path / "policy", [*prompts, *(PROGRAMS if name == "trl_grpo" else ANSWERS)])
    with running_stack(tmp_path / "data") as url:
        trained(name, policy, url, tmp_path / "output")
        with Kritai(url) as client:
            groups = logged_groups(client, name.replace("_", "-"), 2)
    rewards = [reward for group in groups for reward in group["rewards"]]
    assert len(rewards) == 16
    assert {row for row in rewards if row is not None} > {min(r for r in rewards if r is not None)}


@pytest.mark.parametrize("name", ["trl_grpo", "trl_maths"])
def test_a_wrong_address_is_one_line_before_the_model_loads(name: str) -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py"), "--url", "http://127.0.0.1:9", "--model", "/nowhere"],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY / "clients" / "python" / "src"), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1
    assert done.stderr.rstrip().splitlines()[-1].startswith("http://127.0.0.1:9: connection_failed: ")
    assert "Traceback" not in done.stderr


def test_verl_takes_the_command_and_its_reward_part_is_the_block() -> None:
    import verl
    from hydra import compose, initialize_config_dir
    from omegaconf import OmegaConf
    from verl.utils.config import validate_config

    page = (EXAMPLES / "verl" / "README.md").read_text()
    command = page.split("verl.trainer.main_ppo", 1)[1].split("```", 1)[0].replace("\\\n", " ")
    overrides = shlex.split(command.replace("$HOME", "/root"))
    configurations = Path(verl.__file__).parent / "trainer" / "config"
    with initialize_config_dir(config_dir=str(configurations), version_base=None):
        config = compose(config_name="ppo_trainer", overrides=overrides)
    validate_config(config, use_reference_policy=False, use_critic=False)
    assert config.trainer.logger == ["console"]  # wandb, verl's default, asks for a login
    block = OmegaConf.load(EXAMPLES / "verl" / "reward.yaml")
    assert OmegaConf.merge(config, block) == config


def test_verls_block_gives_right_answers_one_in_training_and_validation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import asyncio

    import packages
    from omegaconf import OmegaConf

    block = OmegaConf.load(EXAMPLES / "verl" / "reward.yaml")
    config = OmegaConf.merge(block, {"trainer": {"experiment_name": "e"}})
    config.reward.custom_reward_function.reward_kwargs.group_size = 2
    answers = ["#### 8", "#### 9"]
    with running_stack(tmp_path / "data") as url, Kritai(url) as client:
        client.put_spec("maths", {"signals": {"right": {"kind": "reference"}}})
        monkeypatch.setenv("KRITAI_BASE_URL", url)
        # The process's client is of another test's stack.
        forget_shared()
        words = tokenizer(["p", *answers])
        both = asyncio.run(packages.verl_scored(config, [("p", text) for text in answers], words))
        alone = asyncio.run(packages.verl_scored(config, [("p", answers[0])], words, "test"))
    forget_shared()
    assert [each["reward_score"] for each in both] == [1.0, 0.0]
    assert alone[0]["reward_score"] == 1.0
