"""GRPO on maths with known answers with TRL; Kritai compares final answers by rules, and no verifier is needed.

    npm ci && npm start                                     # in the repository: http://127.0.0.1:8787
    pip install "trl>=1.6" ./clients/python
    python examples/trl_maths.py

The rewards are 1 for a right answer and 0 for a wrong one. Watch the run at
http://127.0.0.1:8787/runs/trl-maths; a second one needs another --run-id.
"""

import argparse
import sys

import torch
from datasets import Dataset
from kritai import Kritai, KritaiError
from kritai.shims.trl_reward import kritai_reward
from trl import GRPOConfig, GRPOTrainer

# Rows as GSM8K has them. For all of it: load_dataset("openai/gsm8k", "main", split="train").
ROWS = [
    {"question": "A box holds 6 eggs. How many eggs do 4 boxes hold?", "answer": "4 * 6 = 24\n#### 24"},
    {"question": "Nora has 15 apples and gives 7 away. How many are left?", "answer": "15 - 7 = 8\n#### 8"},
    {"question": "A train goes 60 km an hour. How far does it go in 3 hours?", "answer": "3 * 60 = 180\n#### 180"},
    {"question": "Half of a number is 21. What is the number?", "answer": "2 * 21 = 42\n#### 42"},
]
INSTRUCTION = "Think step by step, and put the final answer in \\boxed{}."
SPEC = {"signals": {"right": {"kind": "reference"}}}


def prompt_of(row: dict[str, str]) -> str:
    return f"{row['question']}\n{INSTRUCTION}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="Qwen/Qwen2.5-0.5B-Instruct", help="a name on the hub, or a folder")
    parser.add_argument("--url", default="http://127.0.0.1:8787", help="Kritai")
    parser.add_argument("--run-id", default="trl-maths", help="the run's name in Kritai; give each run its own")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--completion-tokens", type=int, default=256)
    parser.add_argument("--output", default="trl-maths", help="folder of checkpoints and logs")
    options = parser.parse_args()
    accelerated = torch.accelerator.is_available()
    try:
        with Kritai(options.url) as client:  # before the model loads: are address, key and spec right?
            client.call("POST", "/v1/specs/check", SPEC, timeout_s=10)
    except (KritaiError, ValueError) as error:
        sys.exit(f"{options.url}: {error}")

    rows = Dataset.from_list(ROWS)
    trainer = GRPOTrainer(
        model=options.model,
        # The column `answer` holds the right answer; `label_column=` names another.
        reward_funcs=[kritai_reward(options.url, spec=SPEC, run_id=options.run_id)],
        train_dataset=rows.map(lambda row: {"prompt": [{"role": "user", "content": prompt_of(row)}]}),
        args=GRPOConfig(
            output_dir=options.output,
            max_steps=options.steps,
            per_device_train_batch_size=8,
            num_generations=8,
            max_completion_length=options.completion_tokens,
            logging_steps=1,
            log_completions=True,
            report_to="none",
            use_cpu=not accelerated,
            bf16=accelerated,
        ),
    )
    print(f"Rewards: {options.url}/runs/{options.run_id}")
    trainer.train()


if __name__ == "__main__":
    main()
