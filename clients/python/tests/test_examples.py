"""The files of `examples` that need only this client, run as they are pasted."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from fake_server import Reply, serving
from stack import REPOSITORY, running_stack

EXAMPLES = REPOSITORY / "examples"


def printed_by(program: list[str], **variables: str) -> str:
    """Runs an example, which must exit with 0, and returns its output."""
    source = str(REPOSITORY / "clients" / "python" / "src")
    done = subprocess.run(
        program,
        env={**os.environ, "PYTHONPATH": source, **variables},
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_agents_prints_a_reward_for_each_trajectory(tmp_path: Path) -> None:
    with running_stack(tmp_path, JUDGE="trajectory-pair") as url:
        lines = printed_by([sys.executable, str(EXAMPLES / "agents.py"), "--url", url]).splitlines()
    assert [re.sub(r"^-?\d+\.\d\d ", "", line) for line in lines] == [
        "The file has 12 lines.",
        "The file has 2 lines.",
        "I cannot tell.",
    ]


def test_agents_says_in_one_sentence_what_is_wrong() -> None:
    keyless = {"code": "unauthorized", "detail": "No key was sent.", "status": 401, "retryable": False}
    with serving(lambda _, __: Reply(401, keyless)) as server:
        for url, reason in (("http:/nowhere", "has neither http://"), (server.url, "unauthorized: No key was sent.")):
            program = [sys.executable, str(EXAMPLES / "agents.py"), "--url", url]
            source = str(REPOSITORY / "clients" / "python" / "src")
            done = subprocess.run(program, env={**os.environ, "PYTHONPATH": source}, capture_output=True, text=True)
            assert done.returncode == 1
            assert done.stderr.startswith(f"{url}: ")
            assert reason in done.stderr
            assert "Traceback" not in done.stderr


def test_own_judge_ranks_by_what_that_judge_says() -> None:
    def second_is_better(request: object, number: int) -> Reply:
        if getattr(request, "method", "") == "GET":
            return Reply(body={"object": "list", "data": [{"id": "mine", "object": "model"}]})
        message = {"role": "assistant", "content": "\\boxed{" + best_of(request) + "}"}
        return Reply(body={"id": "x", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})

    def best_of(request: object) -> str:
        question = request.json["messages"][-1]["content"]  # type: ignore[attr-defined]
        return "A" if question.index("Paris.") < question.index("Lyon.") else "B"

    with serving(second_is_better) as judge:
        variables = {"VERIFIER_URL": f"{judge.url}/v1", "VERIFIER_MODEL": "mine"}
        printed = printed_by(["bash", str(EXAMPLES / "own_judge.sh")], **variables)
    assert re.search(r'"results":\[\{"index":1,"relevance_score":1(\.0)?', printed), printed
