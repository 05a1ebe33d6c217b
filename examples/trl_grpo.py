"""GRPO on programming problems with TRL; Kritai compares the programs of each prompt and rewards them.

    npm ci && npm start                                     # in the repository: http://127.0.0.1:8787
    pip install "trl>=1.6" ./clients/python
    python examples/trl_grpo.py

Watch the run at http://127.0.0.1:8787/runs/trl-grpo; a second one needs another --run-id. The verifier
that `npm start` embeds runs each program on the sample of its problem, so no second GPU is needed.
"""

import argparse
import sys

import torch
from datasets import Dataset
from kritai import Kritai, KritaiError
from kritai.shims.trl_reward import kritai_reward
from trl import GRPOConfig, GRPOTrainer

PROBLEM = """Read n and print n times {k}. Answer with one Python program in a fenced code block.

Sample Input 1
```
4
```
Sample Output 1
```
{result}
```"""
PROMPTS = [PROBLEM.format(k=k, result=4 * k) for k in (2, 3, 5, 7)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="Qwen/Qwen2.5-Coder-0.5B-Instruct", help="a name on the hub, or a folder")
    parser.add_argument("--url", default="http://127.0.0.1:8787", help="Kritai")
    parser.add_argument("--run-id", default="trl-grpo", help="the run's name in Kritai; give each run its own")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--completion-tokens", type=int, default=256)
    parser.add_argument("--output", default="trl-grpo", help="folder of checkpoints and logs")
    options = parser.parse_args()
    accelerated = torch.accelerator.is_available()
    try:
        with Kritai(options.url) as client:  # before the model loads: are address, key and spec right?
            client.call("POST", "/v1/specs/check", {}, timeout_s=10)
    except (KritaiError, ValueError) as error:
        sys.exit(f"{options.url}: {error}")

    trainer = GRPOTrainer(
        model=options.model,
        reward_funcs=[kritai_reward(options.url, run_id=options.run_id, language="python")],
        train_dataset=Dataset.from_dict({"prompt": [[{"role": "user", "content": each}] for each in PROMPTS]}),
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
