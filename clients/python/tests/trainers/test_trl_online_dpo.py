"""A real OnlineDPOTrainer run on the CPU, whose reward function is a plain one: what it logs is what
the run log holds."""

from __future__ import annotations

import statistics
import uuid
from pathlib import Path
from typing import Any

import pytest
from fake_server import Received, Reply, scored_group, serving, tail
from stack import logged_groups
from tiny_policy import PROMPTS, model, tokenizer

from kritai import Kritai, NoScore
from kritai.shims.trl_dpo import kritai_reward

STEPS = 3


def train(folder: Path, reward: Any) -> Any:
    from datasets import Dataset
    from trl.experimental.online_dpo import OnlineDPOConfig, OnlineDPOTrainer

    config = OnlineDPOConfig(
        output_dir=str(folder),
        max_steps=STEPS,
        per_device_train_batch_size=len(PROMPTS),
        max_new_tokens=1,
        max_length=8,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
        seed=1,
    )
    words = tokenizer()
    trainer = OnlineDPOTrainer(
        model=model(len(words)),
        reward_funcs=[reward],
        args=config,
        train_dataset=Dataset.from_dict({"prompt": PROMPTS}),
        processing_class=words,
    )
    trainer.train()
    return trainer


def test_the_scores_that_online_dpo_logs_are_those_of_the_run_log(url: str, tmp_path: Path) -> None:
    run_id = f"dpo-{uuid.uuid4()}"
    trainer = train(tmp_path, kritai_reward(url, run_id=run_id, language="python"))
    logged = [entry["objective/scores"] for entry in trainer.state.log_history if "objective/scores" in entry]
    with Kritai(url) as client:
        groups = logged_groups(client, run_id, STEPS * len(PROMPTS))
    assert len(logged) == STEPS
    for step, score in enumerate(logged):
        rewards = [row["rewards"] for row in groups if row["step"] == step]
        assert [len(pair) for pair in rewards] == [2] * len(PROMPTS)
        assert score == pytest.approx(statistics.mean(float(reward or 0) for pair in rewards for reward in pair))


def one_missing(request: Received, number: int) -> Reply:
    """The first completion of each pair has no reward."""
    groups = [
        scored_group({**group, "rollouts": [{"text": "none"}, {"text": "1"}]}) for group in request.json["groups"]
    ]
    rewards = [[one["reward"] for one in group["rollouts"]] for group in groups]
    return Reply(body={**tail(request.json, "01R"), "rewards": rewards, "groups": groups})


def test_a_missing_reward_ends_the_training_and_is_no_zero(tmp_path: Path) -> None:
    with serving(one_missing) as server:
        with pytest.raises(NoScore, match=r"2 of 4 .* OnlineDPOTrainer would take"):
            train(tmp_path, kritai_reward(server.url))
        logged = train(tmp_path, kritai_reward(server.url, fallback=-3.0)).state.log_history
    assert [entry["objective/scores"] for entry in logged if "objective/scores" in entry] == [-1.0] * STEPS
