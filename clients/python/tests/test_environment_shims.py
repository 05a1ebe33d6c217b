"""Shims of environments that own their reward: TRL's, and OpenEnv's trajectory rubric. Stubs replace
OpenEnv's base classes; tests/trainers/test_agents.py has the tools' own."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from agent_shims_setup import ASKED, stand_in
from fake_server import FakeServer, sent

from kritai.agent_turns import messages_of_steps
from kritai.shims.trl_environment import KritaiEnvironment


class Shell(KritaiEnvironment):
    options = {"spec": "agents"}  # noqa: RUF012

    def reset(self, **row: Any) -> str:
        self.files = ["a.txt"]
        return "There is a shell."

    def run(self, cmd: str, timeout_s: int = 5) -> str:
        """Runs a command.

        Args:
            cmd: The command.
            timeout_s: Seconds.
        """
        if cmd == "boom":
            raise ValueError("no such command")
        return "\n".join(self.files)

    async def look(self, path: str) -> dict[str, str]:
        return {"path": path}

    def _hidden(self) -> None:
        raise AssertionError


async def trl_batch(environments: list[Any]) -> list[Any]:
    """As TRL's own reward function of environments does."""
    return [await each.get_reward() for each in environments]


def test_trl_s_environments_of_a_batch_are_scored_in_one_request(by_turn: FakeServer) -> None:
    first, second = Shell(), Shell()
    for _ in range(2):
        assert first.reset(prompt=ASKED, answer="l") == "There is a shell."
        second.reset(prompt=ASKED, answer="l")
        second.run("pwd")
        assert first.run("ls", timeout_s=1) == "a.txt"
        with pytest.raises(ValueError, match="no such"):
            first.run("boom")
        assert asyncio.run(first.look("a.txt")) == {"path": "a.txt"}
        assert asyncio.run(trl_batch([first, second])) == [7.0, 7.0]
    assert len(by_turn.received) == 2
    (group,) = sent(by_turn, 1)["groups"]
    assert sent(by_turn, 1)["spec"] == "agents"
    calls = [turn["tool_calls"][0]["function"] for turn in group["rollouts"][0]["messages"] if "tool_calls" in turn]
    assert [(call["name"], call["arguments"]) for call in calls] == [
        ("run", '{"cmd": "ls", "timeout_s": 1}'),
        ("run", '{"cmd": "boom"}'),
        ("look", '{"path": "a.txt"}'),
    ]
    results = [turn["content"] for turn in group["rollouts"][0]["messages"] if turn["role"] == "tool"]
    assert results == ["a.txt", '{"error": "no such command"}', '{"path": "a.txt"}']


def test_an_environment_that_is_awaited_alone_is_scored_alone(by_turn: FakeServer) -> None:
    first, second = Shell(), Shell()

    async def _generate_loop() -> Any:
        return await first.get_reward()

    for one in (first, second):
        one.reset(prompt=ASKED)
        one.run("ls")
    assert asyncio.run(_generate_loop()) == 7.0
    assert [len(group["rollouts"]) for group in sent(by_turn)["groups"]] == [1]
    assert asyncio.run(trl_batch([second])) == [7.0]


# --- OpenEnv's trajectory rubric


class Observation:
    def __init__(self, text: str, done: bool = False) -> None:
        self.text, self.done, self.reward, self.metadata = text, done, None, {"seed": 1}


class Move:
    def __init__(self, to: str) -> None:
        self.to = to


def test_openenv_s_trajectory_is_judged_when_it_is_done(by_turn: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    class TrajectoryRubric:
        def __init__(self, intermediate_reward: float) -> None:
            self.intermediate_reward, self._trajectory = intermediate_reward, []  # type: ignore[var-annotated]

    monkeypatch.delenv("KRITAI_GROUP_SIZE")
    shim = stand_in(monkeypatch, "openenv_rubric", "openenv.core.rubrics.trajectory", TrajectoryRubric=TrajectoryRubric)
    rubric = shim.KritaiTrajectoryRubric("Leave the maze.")
    steps: Any = [(Move("left"), Observation("a wall")), (Move("right"), Observation("out", done=True))]

    async def episode() -> list[float]:
        return [await rubric.forward(*step) for step in steps]

    assert asyncio.run(episode()) == [0.0, 7.0]
    assert rubric.compute_step_rewards() == [0.0, 0.1]
    (group,) = sent(by_turn)["groups"]
    assert (group["prompt"], group["rollouts"][0]["messages"]) == ("Leave the maze.", messages_of_steps(steps))
    assert group["rollouts"][0]["messages"][:2] == [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "Move", "arguments": '{"to": "left"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "1", "content": '{"text": "a wall"}'},
    ]
    rubric.reset()
    assert rubric.compute_step_rewards() == []
