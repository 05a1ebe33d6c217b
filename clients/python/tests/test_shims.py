"""Each shim, called as its tool calls it (design notes of the contracts; the tools' own sources),
against the fake server."""

from __future__ import annotations

import asyncio
import inspect
import io
import sys
import threading
import tokenize
import types
from pathlib import Path
from typing import Any

import pytest
from fake_server import FakeServer, sent

import kritai.shims
from kritai import NoScore
from kritai.shims import verifiers_rubric, verl_reward

SHIMS = sorted(p for p in Path(kritai.shims.__file__).parent.glob("*.py") if p.name != "__init__.py")


def code_lines(path: Path) -> int:
    """Lines of a shim's code: not its imports, blank lines, comments and docstrings. By tokens, not by
    `ast`, whose trees Python 3.11 refuses where a finalizer formats a traceback in the midst of one."""
    code: set[int] = set()
    statement: list[tokenize.TokenInfo] = []
    for token in tokenize.generate_tokens(io.StringIO(path.read_text()).readline):
        if token.type in (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER):
            continue
        if token.type != tokenize.NEWLINE:
            statement.append(token)
            continue
        docstring = all(each.type == tokenize.STRING for each in statement)
        if not docstring and statement[0].string not in ("import", "from"):
            code |= {line for each in statement for line in range(each.start[0], each.end[0] + 1)}
        statement = []
    return len(code)


@pytest.mark.parametrize("path", SHIMS, ids=lambda path: path.stem)
def test_a_shim_is_at_most_twenty_lines(path: Path) -> None:
    assert 0 < code_lines(path) <= 20


def test_there_is_a_shim_for_each_tool_and_none_shadows_it() -> None:
    tools = {
        "areal",
        "art",
        "atropos",
        "ms_swift",
        "nemo_gym",
        "openenv",
        "roll",
        "skyrl",
        "slime",
        "tinker",
        "trl",
        "verifiers",
        "verl",
    }
    assert {path.stem.rsplit("_", 1)[0] for path in SHIMS} == tools
    assert not {path.stem for path in SHIMS} & tools


# --- verl


async def call_as_verl(texts: list[str], **kwargs: Any) -> list[dict[str, float]]:
    """reward_manager.naive: one coroutine a sample, by keyword, reward_kwargs merged in."""
    given: dict[str, Any] = {"data_source": "d", "ground_truth": "g", "extra_info": {"question": "p"}, **kwargs}
    return await asyncio.gather(*(verl_reward.compute_score(solution_str=text, **given) for text in texts))


def test_verl_samples_of_a_prompt_are_judged_as_one_group(server: FakeServer) -> None:
    results = asyncio.run(call_as_verl(["1", "2", "3"], group_size=3, run_id="v", timeout_s=10))
    assert [result["score"] for result in results] == [1.0, 2.0, 3.0]
    assert len(server.received) == 1
    assert [r["text"] for r in sent(server)["groups"][0]["rollouts"]] == ["1", "2", "3"]
    assert sent(server)["run_id"] == "v"
    assert sent(server)["deadline_ms"] <= 8_000


def test_verl_gets_constant_keys_and_the_declared_fallback_with_a_flag(server: FakeServer) -> None:
    results = asyncio.run(call_as_verl(["1", "none"], group_size=2, fallback=-1.0))
    assert results[0].keys() == results[1].keys()
    assert [(r["score"], r["kritai_failed"]) for r in results] == [(1.0, 0.0), (-1.0, 1.0)]


def test_verl_gets_a_constant_key_for_each_component_named_the_fallback_where_there_is_none(server: FakeServer) -> None:
    options: dict[str, Any] = {"fallback": -1.0, "components": ["base", "format"], "val_group_size": 1}
    results = asyncio.run(call_as_verl(["1", "none"], group_size=2, **options))
    alone = asyncio.run(
        call_as_verl(["1"], group_size=2, **options | {"extra_info": {"question": "p", "split": "test"}})
    )
    assert [(r["kritai_base"], r["kritai_format"]) for r in results] == [(1.0, 0.0), (-1.0, 0.0)]
    assert results[0].keys() == results[1].keys() == alone[0].keys()


def test_verl_a_component_without_a_value_and_without_a_fallback_raises(server: FakeServer) -> None:
    with pytest.raises(NoScore):
        asyncio.run(call_as_verl(["none"], group_size=1, components=["base"]))


def test_verl_without_a_fallback_fails_rather_than_inventing_a_number(server: FakeServer) -> None:
    with pytest.raises(NoScore) as caught:
        asyncio.run(call_as_verl(["none"], group_size=1))
    assert caught.value.code == "verifier_rejected"


def test_verl_batches_keep_their_order(server: FakeServer) -> None:
    infos = [{"question": "p"}, {"question": "q"}, {"question": "p"}]
    results = verl_reward.compute_score_batch(
        data_sources=[0] * 3, solution_strs=["1", "2", "3"], ground_truths=[0] * 3, extra_infos=infos, timeout_s=10
    )
    assert sent(server)["deadline_ms"] <= 8_000
    assert [result["score"] for result in results] == [1.0, 2.0, 3.0]
    assert [len(group["rollouts"]) for group in sent(server)["groups"]] == [2, 1]


# --- ms-swift, SkyRL: fakes of their base classes


@pytest.fixture
def swift(monkeypatch: pytest.MonkeyPatch) -> Any:
    module: Any = types.ModuleType("swift.rewards")
    module.AsyncORM = type("AsyncORM", (), {"__init__": lambda self, args=None, **kwargs: None})
    module.orms = {}
    monkeypatch.setitem(sys.modules, "swift", types.ModuleType("swift"))
    monkeypatch.setitem(sys.modules, "swift.rewards", module)
    monkeypatch.delitem(sys.modules, "kritai.shims.ms_swift_plugin", raising=False)
    return module


def test_ms_swift_finds_the_plugin_by_name_and_gets_a_reward_a_row(
    server: FakeServer, swift: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KRITAI_FALLBACK", "-2")
    monkeypatch.setenv("KRITAI_TIMEOUT_S", "10")
    import kritai.shims.ms_swift_plugin  # noqa: F401

    reward = swift.orms["kritai"](args=None)
    assert inspect.iscoroutinefunction(reward.__call__)
    chats = [[{"role": "user", "content": "p"}, {"role": "assistant", "content": text}] for text in ("1", "none")]
    state = types.SimpleNamespace(global_step=2)
    given = {"messages": chats, "trainer_state": state, "response_token_ids": [[[1, 2], [3]], [[4]]], "solution": []}
    assert asyncio.run(reward(["1", "none"], **given)) == [1.0, -2.0]
    assert sent(server)["step"] == 2
    assert sent(server)["deadline_ms"] <= 8_000
    assert sent(server)["groups"][0]["prompt"] == [{"role": "user", "content": "p"}]
    assert [r["length_tokens"] for r in sent(server)["groups"][0]["rollouts"]] == [3, 1]


def test_ms_swift_finds_a_reward_for_each_component_and_they_share_one_request(
    server: FakeServer, swift: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KRITAI_COMPONENTS", "base, format")
    monkeypatch.setenv("KRITAI_FALLBACK", "-1")
    import kritai.shims.ms_swift_plugin  # noqa: F401

    assert set(swift.orms) == {"kritai", "kritai_base", "kritai_format"}
    rewards = [swift.orms[name](args=None) for name in ("kritai_base", "kritai_format")]
    assert all(inspect.iscoroutinefunction(reward.__call__) for reward in rewards)
    completions = ["1", "none"]
    chats = [[{"role": "user", "content": "p"}, {"role": "assistant", "content": text}] for text in completions]

    async def both() -> list[list[float | None]]:
        return list(await asyncio.gather(*(reward(completions, messages=chats) for reward in rewards)))

    assert asyncio.run(both()) == [[1.0, -1.0], [0.0, 0.0]]
    assert len(server.received) == 1


def test_skyrl_steps_of_a_prompt_are_judged_as_one_group(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    base: Any = types.ModuleType("skyrl_gym.envs.base_text_env")
    base.BaseTextEnv, base.BaseTextEnvStepOutput = type("BaseTextEnv", (), {}), dict
    for name in ("skyrl_gym", "skyrl_gym.envs"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, "skyrl_gym.envs.base_text_env", base)
    monkeypatch.delitem(sys.modules, "kritai.shims.skyrl_env", raising=False)
    monkeypatch.setenv("KRITAI_GROUP_SIZE", "2")
    monkeypatch.setenv("KRITAI_FALLBACK", "-0.5")
    monkeypatch.setenv("KRITAI_TIMEOUT_S", "10")
    from kritai.shims.skyrl_env import KritaiEnv

    steps: dict[str, Any] = {}

    def run(text: str) -> None:
        env = KritaiEnv(env_config={}, extras={"reward_spec": {}})
        env.init([{"role": "user", "content": "p"}])
        steps[text] = env.step(text)

    threads = [threading.Thread(target=run, args=(text,)) for text in ("1", "none")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (steps["1"]["reward"], steps["1"]["done"], steps["1"]["metadata"]["kritai_failed"]) == (1.0, True, 0.0)
    assert (steps["none"]["reward"], steps["none"]["metadata"]["kritai_failed"]) == (-0.5, 1.0)
    assert sent(server)["deadline_ms"] <= 8_000


# --- verifiers


def test_verifiers_group_function_and_episode_score_the_attempts_together(server: FakeServer) -> None:
    prompts, completions = (
        [[{"role": "user", "content": "p"}]] * 2,
        [[{"role": "assistant", "content": t}] for t in "12"],
    )
    assert asyncio.run(verifiers_rubric.kritai_reward(prompts=prompts, completions=completions, answers=[0, 0])) == [
        1,
        2,
    ]
    recorded: list[tuple[str, float]] = []
    traces = [
        types.SimpleNamespace(last_reply=t, record_reward=lambda name, value: recorded.append((name, value)))
        for t in "34"
    ]
    task = types.SimpleNamespace(data=types.SimpleNamespace(prompt="p"))
    asyncio.run(verifiers_rubric.score_episode(task, types.SimpleNamespace(traces=traces), run_id="e"))
    assert recorded == [("kritai", 3.0), ("kritai", 4.0)]
    assert sent(server, 1)["run_id"] == "e"


def test_verifiers_attempts_without_a_score_raise(server: FakeServer) -> None:
    with pytest.raises(NoScore):
        asyncio.run(verifiers_rubric.kritai_reward(prompts=["p"], completions=["none"]))
