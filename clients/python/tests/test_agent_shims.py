"""Shims for agents of several turns: whole conversations, a reward a turn, environments that own their
reward. Stubs replace the tools' base classes; tests/trainers/test_agents.py has the tools' own."""

from __future__ import annotations

import asyncio
import importlib
import types
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from agent_shims_setup import ASKED, stand_in
from fake_server import FakeServer, sent

from kritai import NoScore
from kritai.agent_turns import run_of_trace, turn_rewards
from kritai.columns import run_start, runs_of
from kritai.scored_rows import same_prompt
from kritai.shims import verifiers_rubric

# --- a number a turn


def test_a_turn_has_its_number_and_one_that_says_nothing_is_no_step() -> None:
    row: Any = {"reward": 1.0, "details": {"right": {}, "turns": {"steps": [0.5, 1]}}}
    run = [{"role": "assistant", "content": "a"}, {"role": "tool"}, {"role": "assistant"}]
    assert turn_rewards(row, [*run, {"role": "assistant", "tool_calls": [{"id": "c"}]}]) == [0.5, 0.0, 1.0]
    with pytest.raises(ValueError, match="2 steps were scored beside 1"):
        turn_rewards(row, run)
    row["details"]["turns"]["steps"][1] = None
    with pytest.raises(NoScore):
        turn_rewards(row, [run[0], run[0]])
    row["details"].pop("turns")
    assert turn_rewards(row, run) is None
    row["reward"] = None
    assert turn_rewards(row, run) is None


# --- SkyRL


class Folder:
    """An environment of two turns."""

    def __init__(self, env_config: Any, extras: Any) -> None:
        self.turns, self.closed = 0, False

    def init(self, prompt: Any) -> Any:
        return [*prompt, {"role": "user", "content": "You are in /."}], {}

    def step(self, action: str) -> dict[str, Any]:
        self.turns += 1
        done = self.turns == 2
        seen = [] if done else [{"role": "user", "content": "a.tmp"}]
        return {"observations": seen, "reward": 0.25, "done": done, "metadata": {"n": self.turns}}

    def close(self) -> None:
        self.closed = True


def judged_folder(monkeypatch: pytest.MonkeyPatch) -> Any:
    shim = stand_in(monkeypatch, "skyrl_turns", "skyrl_gym.envs.base_text_env", BaseTextEnv=object)
    return shim.judged(Folder)


def test_skyrl_s_conversation_is_judged_whole_when_it_is_done(
    by_turn: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = judged_folder(monkeypatch)

    def run(word: str) -> list[Any]:
        env = made(env_config={}, extras={"reward_spec": {}})
        env.init(ASKED)
        return [env.step(f"{word} 1"), env.step(f"{word} 2")]

    with ThreadPoolExecutor(2) as threads:
        first, last = next(iter(threads.map(run, ("a", "b"))))
    assert (first["reward"], first["done"], first["metadata"]) == (0.0, False, {"n": 1, "env_reward": 0.25})
    assert (last["reward"], last["metadata"]["kritai_turn_rewards"]) == (7.0, [0.0, 0.1])
    (group,) = sent(by_turn)["groups"]
    assert group["prompt"] == [*ASKED, {"role": "user", "content": "You are in /."}]
    told = [
        {"role": "assistant", "content": "a 1"},
        {"role": "user", "content": "a.tmp"},
        {"role": "assistant", "content": "a 2"},
    ]
    assert {"messages": told} in group["rollouts"]


def test_a_run_of_skyrl_that_is_cut_takes_its_place(by_turn: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    made = judged_folder(monkeypatch)
    cut, whole = made({}, None), made({}, None)
    for env in (cut, whole):
        env.init(ASKED)
        env.step("a 1")
    cut.close()
    assert cut.closed
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(whole.step, "a 2").result(timeout=30)["reward"] == 7.0
    assert len(sent(by_turn)["groups"][0]["rollouts"]) == 2


# --- AReaL's agents


def test_areal_s_agents_get_a_reward_or_one_for_each_completion(by_turn: FakeServer) -> None:
    shim = importlib.import_module("kritai.shims.areal_agent")
    acted = [{"role": "assistant", "tool_calls": [{"id": "c"}]}, {"role": "tool", "content": "x"}]
    row = {"messages": ASKED, "answer": "l"}

    async def group() -> list[Any]:
        run = [*acted, {"role": "assistant", "content": "Done."}]
        return list(
            await asyncio.gather(
                shim.score_run(row, [*ASKED, *run], ["one", "two"]),
                shim.score_run(row, [{"role": "assistant", "content": "3"}]),
            )
        )

    assert asyncio.run(group()) == [{"one": 0.0, "two": 0.1}, 3.0]
    (sent_group,) = sent(by_turn)["groups"]
    assert sent_group["rollouts"][0]["messages"][0] == acted[0]
    alone = shim.score_run({**row, "split": "test"}, [{"role": "assistant", "content": "4"}])
    assert asyncio.run(alone) == 4.0
    assert [len(group["rollouts"]) for group in sent(by_turn, -1)["groups"]] == [1]


# --- verifiers


def test_verifiers_traces_of_messages_that_are_objects_are_sent_whole(by_turn: FakeServer) -> None:
    class Turn:
        def __init__(self, **held: Any) -> None:
            self.held = held

        def model_dump(self, exclude_none: bool, exclude: set[str]) -> dict[str, Any]:
            return {name: each for name, each in self.held.items() if name not in exclude}

    def node(sampled: bool, **held: Any) -> Any:
        return types.SimpleNamespace(sampled=sampled, message=Turn(**held))

    nodes = [
        node(False, role="user", content="Tidy up."),
        node(False, role="assistant", content="As an example."),
        node(True, role="assistant", tool_calls=[{"id": "c", "name": "bash", "arguments": "{}"}], provider_state=[1]),
        node(False, role="tool", tool_call_id="c", content="a.txt"),
        node(True, role="assistant", content="Done."),
    ]
    recorded: dict[str, float] = {}
    trace = types.SimpleNamespace(
        branches=[types.SimpleNamespace(nodes=nodes)], info={}, record_reward=recorded.__setitem__, last_reply="Done."
    )
    assert [turn["role"] for turn in run_of_trace(trace)] == ["assistant", "tool", "assistant"]
    task = types.SimpleNamespace(data=types.SimpleNamespace(prompt="p"))
    asyncio.run(verifiers_rubric.score_episode(task, types.SimpleNamespace(traces=[trace])))
    (rollout,) = sent(by_turn)["groups"][0]["rollouts"]
    assert "provider_state" not in rollout["messages"][0]
    assert (recorded, trace.info) == ({"kritai": 7.0}, {"kritai_turn_rewards": [0.0, 0.1]})


def test_verifiers_states_get_the_rewards_of_their_turns(by_turn: FakeServer) -> None:
    run = [
        {"role": "assistant", "content": "a"},
        {"role": "user", "content": "b"},
        {"role": "assistant", "content": "c"},
    ]
    states: list[dict[str, Any]] = [{"trajectory": [{"reward": None}, {"reward": None}]}, {}]
    call = verifiers_rubric.kritai_reward(prompts=["p", "p"], completions=[run, "4"], states=states)
    assert asyncio.run(call) == [7.0, 4.0]
    assert states[0]["trajectory"] == [{"reward": 0.0}, {"reward": 0.1}]


# --- where a run begins


def test_a_conversation_ends_in_a_run_behind_the_last_words_of_who_asks() -> None:
    def turn(role: str, content: str = "x") -> dict[str, str]:
        return {"role": role, "content": content}

    history = [turn("user"), turn("assistant"), turn("user")]
    run = [turn("assistant", ""), turn("tool"), turn("assistant", "done")]
    assert run_start([*history, *run]) == 3
    assert run_start([*history, *run, turn("user")]) == 3
    assert run_start([turn("user")]) == 0
    prompts, judged = runs_of([[*history, *run], [*history, run[-1]]], ["last", "done"])
    assert prompts == [history, history]
    assert judged == [run, "done"]


def test_the_prompt_of_an_item_is_what_its_rollouts_begin_with() -> None:
    asked, first = {"role": "user", "content": "p"}, {"role": "assistant", "content": "a"}
    seen = [{"role": "tool", "content": at} for at in "bc"]
    prompts, runs = same_prompt([[asked, first, seen[0]], [asked, first, seen[1], first]], 2)
    assert prompts == [[asked, first]] * 2
    assert runs == [[seen[0]], [seen[1], first]]
    assert same_prompt([[asked, first]] * 2, 2) == ([[asked]] * 2, [[first]] * 2)
