"""Shims for agents of several turns over the tools' own packages: SkyRL's search environment, verifiers'
trace, TRL's own reward function of environments, OpenEnv's rubric; against the fake server."""

from __future__ import annotations

import asyncio
import importlib
import types
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import packages_alone
import pytest
from fake_server import FakeServer, sent
from tiny_policy import model, tokenizer

ASKED = [{"role": "user", "content": "Tidy up."}]


def test_skyrl_s_own_search_environment_is_judged_over_both_of_its_turns(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from skyrl_gym.envs.search import env as search

    from kritai.shims.skyrl_turns import judged

    monkeypatch.setenv("KRITAI_GROUP_SIZE", "2")
    monkeypatch.setattr(search.SearchToolGroup, "search", lambda *_: "found", raising=False)
    made = judged(search.SearchEnv)
    monkeypatch.setattr(made, "_execute_tool", lambda self, group, name, given: f"found {given[0]}")
    extras = {"reward_spec": {"ground_truth": {"target": ["x"]}}, "max_turns": 2}

    def run(word: str) -> list[Any]:
        env = made(env_config=search.SearchEnvConfig(), extras=dict(extras))
        env.init(ASKED)
        steps = [env.step(f"<search>{word}</search>"), env.step(f"<answer>{word}</answer>")]
        env.close()
        return steps

    with ThreadPoolExecutor(2) as threads:
        ran = list(threads.map(run, ("a", "b")))
    assert [[step["reward"] for step in steps] for steps in ran] == [[0.0, 7.0]] * 2
    rollouts = {rollout["messages"][0]["content"]: rollout for rollout in sent(server)["groups"][0]["rollouts"]}
    assert [turn["role"] for turn in rollouts["<search>a</search>"]["messages"]] == ["assistant", "user", "assistant"]


def test_verifiers_own_trace_is_sent_with_its_calls_from_the_first_turn_that_was_sampled(server: FakeServer) -> None:
    packages_alone.verifiers_tasks()
    from verifiers.v1.graph import MessageNode
    from verifiers.v1.trace import AgentInfo, Trace, TraceTask
    from verifiers.v1.types import AssistantMessage, ToolCall, ToolMessage, UserMessage

    from kritai.shims.verifiers_rubric import score_episode

    tasks = importlib.import_module("verifiers.v1.tasksets.nemo_gym.taskset")
    config = importlib.import_module("verifiers.v1.configs.agent").AgentConfig.model_construct()
    data = tasks.NeMoGymData(prompt="Tidy up.", row={})
    trace = Trace(task=TraceTask(type="T", data=data), agent=AgentInfo(config=config), state=tasks.NeMoGymState())
    call = ToolCall(id="c", name="bash", arguments='{"cmd": "ls"}')
    said = [
        (UserMessage(content="Tidy up."), False),
        (AssistantMessage(tool_calls=[call], provider_state=[{"sealed": 1}]), True),
        (ToolMessage(tool_call_id="c", content="a.txt"), False),
        (AssistantMessage(content="Done."), True),
    ]
    trace.nodes = [
        MessageNode(parent=None if at == 0 else at - 1, message=message, sampled=sampled)
        for at, (message, sampled) in enumerate(said)
    ]
    task = types.SimpleNamespace(data=types.SimpleNamespace(prompt="Tidy up."))
    asyncio.run(score_episode(task, types.SimpleNamespace(traces=[trace])))
    assert trace.reward == 7.0
    (rollout,) = sent(server)["groups"][0]["rollouts"]
    assert [turn["role"] for turn in rollout["messages"]] == ["assistant", "tool", "assistant"]
    assert rollout["messages"][0]["tool_calls"][0]["arguments"] == '{"cmd": "ls"}'


def test_trl_s_own_reward_function_of_environments_scores_a_batch_in_one_request(
    server: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    from kritai.shims.trl_environment import KritaiEnvironment

    class Shell(KritaiEnvironment):
        def run(self, cmd: str) -> str:
            """Runs a command.

            Args:
                cmd: The command.
            """
            return f"ran {cmd}"

    monkeypatch.setenv("TRL_EXPERIMENTAL_SILENCE", "1")
    words = tokenizer()
    words.chat_template = (
        "{% for m in messages %}{{ m['content'] or '' }}{% for c in m.tool_calls or [] %}"
        "{{ c.function.name }}{{ c.function.arguments }}{% endfor %}{% endfor %}"
    )
    words.response_schema = {"type": "object", "properties": {"role": {"const": "assistant"}}}
    settings = {"report_to": "none", "save_strategy": "no", "use_cpu": True, "bf16": False}
    trainer = GRPOTrainer(
        model=model(len(words)),
        environment_factory=Shell,
        args=GRPOConfig(output_dir=str(tmp_path), per_device_train_batch_size=2, num_generations=2, **settings),
        train_dataset=Dataset.from_list([{"prompt": ASKED}]),
        processing_class=words,
    )
    assert trainer.reward_func_names == ["Shell"]
    assert [tool.__name__ for tool in trainer.tools] == ["run"]
    environments = [trainer.environment_factories[None]() for _ in range(2)]
    for at, environment in enumerate(environments):
        environment.reset(prompt=ASKED)
        environment.run(cmd=f"ls {at}")
    assert asyncio.run(trainer.reward_funcs[-1](environments=environments)) == [7.0, 7.0]
    assert len(server.received) == 1
    (group,) = sent(server)["groups"]
    assert [rollout["messages"][1]["content"] for rollout in group["rollouts"]] == ["ran ls 0", "ran ls 1"]


def test_openenv_s_own_rubric_is_awaited_with_its_hooks_and_gives_what_was_judged(server: FakeServer) -> None:
    packages_alone.unopened("openenv", "openenv.core")
    from kritai.shims.openenv_rubric import KritaiTrajectoryRubric

    rubric: Any = KritaiTrajectoryRubric("Leave the maze.")
    seen: list[float] = []
    rubric.register_forward_hook(lambda rubric, action, observation, result: seen.append(result))
    steps = [({"to": "left"}, False), ({"to": "right"}, True)]

    async def episode() -> list[float]:
        return [await rubric(action, types.SimpleNamespace(text="a wall", done=done)) for action, done in steps]

    assert asyncio.run(episode()) == seen == [0.0, 7.0]
    assert (rubric.last_score, rubric.compute_step_rewards()) == (7.0, [0.0, 7.0])
    assert len(sent(server)["groups"][0]["rollouts"][0]["messages"]) == 4
