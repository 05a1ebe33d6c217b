"""A GRPO training in two processes, each with a half of every group: run by torchrun, with the server,
the folder and the run as arguments. Writes its results, a file a process."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from datasets import Dataset
from tiny_policy import PROMPTS, model, tokenizer
from trl import GRPOConfig, GRPOTrainer

from kritai.shims.trl_reward import kritai_reward

GENERATIONS = 8
STEPS = 2


def trainer(url: str, folder: Path, **options: Any) -> Any:
    config = GRPOConfig(
        output_dir=str(folder),
        max_steps=STEPS,
        per_device_train_batch_size=GENERATIONS // 2,
        num_generations=GENERATIONS,
        max_completion_length=1,
        logging_steps=1,
        log_completions=True,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
        seed=1,
    )
    words = tokenizer()
    return GRPOTrainer(
        model=model(len(words)),
        reward_funcs=[kritai_reward(url, language="python", **options)],
        args=config,
        train_dataset=Dataset.from_dict({"prompt": PROMPTS}),
        processing_class=words,
    )


def refusal(url: str, folder: Path, **options: Any) -> str:
    try:
        trainer(url, folder, **options).train()
    except ValueError as fault:
        return str(fault)
    return "trained"


def main(url: str, folder: Path, run_id: str) -> None:
    unnamed = refusal(url, folder / "unnamed", run_id=run_id)
    named = refusal(url, folder / "named", run_id=run_id, num_generations=GENERATIONS)
    gathered = trainer(url, folder / "gathered", run_id=run_id, gather=True, num_generations=GENERATIONS)
    gathered.train()
    means = [entry["rewards/kritai/mean"] for entry in gathered.state.log_history if "rewards/kritai/mean" in entry]
    told = {"world": gathered.accelerator.num_processes, "unnamed": unnamed, "named": named, "means": means}
    (folder / f"rank-{os.environ['RANK']}.json").write_text(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
