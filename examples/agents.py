"""Rewards for an agent's trajectories: calls of tools, their results and the last answer are compared.

    npm ci && JUDGE=trajectory-pair npm start               # in the repository: http://127.0.0.1:8787
    pip install ./clients/python
    python examples/agents.py

A deployment's key is read from KRITAI_API_KEY. Without VERIFIER_URL the verdicts are made up, and a
warning says `simulated`. With your verifier:

    JUDGE=trajectory-pair VERIFIER_URL=http://HOST:8000/v1 VERIFIER_MODEL=NAME npm start
"""

import argparse
import sys

from kritai import Kritai, KritaiError

TASK = "How many lines has the file notes.txt? Use the shell."


def trajectory(command: str, result: str, answer: str) -> list[dict]:
    """One call of a tool, its result, and what the agent answered: messages as OpenAI's chat API has them."""
    call = {"id": "call-1", "type": "function", "function": {"name": "shell", "arguments": f'{{"cmd": "{command}"}}'}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call-1", "content": result},
        {"role": "assistant", "content": answer},
    ]


TRAJECTORIES = [
    trajectory("wc -l notes.txt", "12 notes.txt", "The file has 12 lines."),
    trajectory("cat notes.txt", "milk\neggs\n...", "The file has 2 lines."),
    trajectory("ls", "notes.txt", "I cannot tell."),
]
SPEC = {"candidate": {"extract": "whole"}, "judge": {"preset": "trajectory-pair"}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="http://127.0.0.1:8787", help="Kritai")
    options = parser.parse_args()

    group = {"prompt": TASK, "rollouts": [{"messages": each} for each in TRAJECTORIES]}
    try:
        with Kritai(options.url) as client:
            reply = client.rewards([group], spec=SPEC, run_id="agents", step=0)
    except (KritaiError, ValueError) as error:
        sys.exit(f"{options.url}: {error}")
    for messages, reward in zip(TRAJECTORIES, reply.flat, strict=True):
        # A reward that could not be had is None, never a number.
        print("none" if reward is None else f"{reward:.2f}", messages[-1]["content"])


if __name__ == "__main__":
    main()
