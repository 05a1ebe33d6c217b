"""A sample that comes alone, as in a trainer's validation: the server says whether it can be scored. No
shim gives a number for it without asking, or replaces a missing reward by an undeclared number."""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from agent_shims_setup import stand_in
from fake_server import FakeServer, Received, Reply, problem, rewards_reply, serving

from kritai import InvalidRequest, KritaiError, NoScore
from kritai.gather import forget_shared
from kritai.shims import slime_reward, verl_gathered, verl_reward

ROW = {"question": "q", "split": "test"}
ALONE = "group_too_small"


def of_one_sample(spec: str, declared: str | None) -> Reply:
    """A route of one sample: `maths` compares nothing, `default` compares."""
    if spec == "maths":
        return Reply(body=1.0)
    return problem(400, ALONE) if declared is None else Reply(body=float(declared))


def answer(request: Received, number: int) -> Reply:
    """As the server does: a spec that compares has no reward for a rollout alone."""
    url = urlsplit(request.path)
    query = {name: values[0] for name, values in parse_qs(url.query).items()}
    if url.path == "/verl/compute_score":
        reply = of_one_sample(query.get("spec", "default"), query.get("on_failure"))
        told = {"score": reply.body, "acc": reply.body, "rm_fallback": float(query.get("spec") != "maths")}
        return Reply(body=told) if reply.status == 200 else reply
    if url.path == "/slime/reward":
        return of_one_sample(query.get("spec", "default"), query.get("on_failure"))
    reply = rewards_reply(request)
    reply.body["reward_range"] = [0, 1]
    for group, rewards in zip(reply.body["groups"], reply.body["rewards"], strict=True):
        for at, row in enumerate(group["rollouts"]):
            row.update({"wins": 0, "losses": 0, "ties": 0})
            value = 1.0 if request.json["spec"] == "maths" else None
            row.update({"reward": value, "error": None if value else ALONE, "retryable": False})
            rewards[at] = value
    return reply


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    forget_shared()
    with serving(answer) as running:
        monkeypatch.setenv("KRITAI_BASE_URL", running.url)
        monkeypatch.setenv("KRITAI_GROUP_SIZE", "8")
        yield running
    forget_shared()


def verl(shim: Any) -> Callable[..., Any]:
    def scored(spec: str, fallback: float | None, monkeypatch: pytest.MonkeyPatch) -> Any:
        declared = {} if fallback is None else {"fallback": fallback}
        return asyncio.run(shim.compute_score("gsm8k", "8", "8", ROW, group_size=8, spec=spec, **declared))["score"]

    return scored


def verl_batch(spec: str, fallback: float | None, monkeypatch: pytest.MonkeyPatch) -> Any:
    declared = {} if fallback is None else {"fallback": fallback}
    (row,) = verl_reward.compute_score_batch(["gsm8k"], ["8"], ["8"], [ROW], spec=spec, **declared)
    return row["score"]


def named(monkeypatch: pytest.MonkeyPatch, spec: str, fallback: float | None) -> None:
    monkeypatch.setenv("KRITAI_SPEC", spec)
    if fallback is not None:
        monkeypatch.setenv("KRITAI_FALLBACK", str(fallback))


def skyrl(spec: str, fallback: float | None, monkeypatch: pytest.MonkeyPatch) -> Any:
    named(monkeypatch, spec, fallback)
    base = types.SimpleNamespace(BaseTextEnv=object, BaseTextEnvStepOutput=dict)
    shim = stand_in(monkeypatch, "skyrl_env", "skyrl_gym.envs.base_text_env", **vars(base))
    env = shim.KritaiEnv(None, {"split": "test", "reward_spec": {"ground_truth": "8"}})
    env.init([{"role": "user", "content": "q"}])
    return env.step("8")["reward"]


def skyrl_turns(spec: str, fallback: float | None, monkeypatch: pytest.MonkeyPatch) -> Any:
    class Once:
        def __init__(self, env_config: Any, extras: Any) -> None:
            pass

        def init(self, prompt: Any) -> Any:
            return prompt, {}

        def step(self, action: str) -> dict[str, Any]:
            return {"observations": [], "reward": 0.0, "done": True, "metadata": {}}

    named(monkeypatch, spec, fallback)
    shim = stand_in(monkeypatch, "skyrl_turns", "skyrl_gym.envs.base_text_env", BaseTextEnv=object)
    env = shim.judged(Once)(None, {"extra_info": {"split": "validation"}})
    env.init([{"role": "user", "content": "q"}])
    return env.step("8")["reward"]


def areal_agent(spec: str, fallback: float | None, monkeypatch: pytest.MonkeyPatch) -> Any:
    named(monkeypatch, spec, fallback)
    shim = importlib.import_module("kritai.shims.areal_agent")
    asked = [{"role": "user", "content": "q"}]
    run = [*asked, {"role": "assistant", "content": "8"}]
    return asyncio.run(shim.score_run({"messages": asked, "split": "test"}, run))


def areal(spec: str, fallback: float | None, monkeypatch: pytest.MonkeyPatch) -> Any:
    declared = "" if fallback is None else f"&on_failure={fallback}"
    monkeypatch.setenv("KRITAI_QUERY", f"spec={spec}{declared}")
    rlvr = types.ModuleType("areal.workflow.rlvr")
    rlvr.RLVRWorkflow = object  # type: ignore[attr-defined]
    for name in ("areal", "areal.workflow"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, "areal.workflow.rlvr", rlvr)
    monkeypatch.delitem(sys.modules, "kritai.shims.areal_reward", raising=False)
    shim = importlib.import_module("kritai.shims.areal_reward")
    return asyncio.run(shim.kritai_reward("q", "8", [1], [2], answer="8", split="test"))


def slime(spec: str, fallback: float | None, monkeypatch: pytest.MonkeyPatch) -> Any:
    named(monkeypatch, spec, fallback)
    sample = types.SimpleNamespace(prompt="q", response="8", response_length=1, label="8")
    return asyncio.run(slime_reward.reward(types.SimpleNamespace(n_samples_per_prompt=1), sample))


def slime_group(spec: str, fallback: float | None, monkeypatch: pytest.MonkeyPatch) -> Any:
    named(monkeypatch, spec, fallback)
    sample = types.SimpleNamespace(prompt="q", response="8", response_length=1, label="8")
    return asyncio.run(slime_reward.reward(types.SimpleNamespace(n_samples_per_prompt=1), [sample]))[0]


def openenv(spec: str, fallback: float | None, monkeypatch: pytest.MonkeyPatch) -> Any:
    class TrajectoryRubric:
        def __init__(self, intermediate_reward: float) -> None:
            self.intermediate_reward, self._trajectory = intermediate_reward, []  # type: ignore[var-annotated]

    named(monkeypatch, spec, fallback)
    monkeypatch.delenv("KRITAI_GROUP_SIZE")
    shim = stand_in(monkeypatch, "openenv_rubric", "openenv.core.rubrics.trajectory", TrajectoryRubric=TrajectoryRubric)
    rubric = shim.KritaiTrajectoryRubric("q")
    return asyncio.run(rubric.forward({"move": 1}, types.SimpleNamespace(done=True, text="8")))


SHIMS = {
    "verl_reward": verl(verl_reward),
    "verl_reward, the batch manager": verl_batch,
    "verl_gathered": verl(verl_gathered),
    "skyrl_env": skyrl,
    "skyrl_turns": skyrl_turns,
    "areal_agent": areal_agent,
    "areal_reward": areal,
    "slime_reward": slime,
    "slime_reward, a group": slime_group,
    "openenv_rubric": openenv,
}


@pytest.mark.parametrize("score", SHIMS.values(), ids=SHIMS)
def test_a_sample_alone_is_scored_where_the_spec_compares_nothing(
    alone: FakeServer, monkeypatch: pytest.MonkeyPatch, score: Callable[..., Any]
) -> None:
    assert score("maths", None, monkeypatch) == 1.0
    assert len(alone.received) >= 1


@pytest.mark.parametrize("score", SHIMS.values(), ids=SHIMS)
def test_a_sample_alone_has_no_score_where_the_spec_compares(
    alone: FakeServer, monkeypatch: pytest.MonkeyPatch, score: Callable[..., Any]
) -> None:
    with pytest.raises(KritaiError) as raised:
        score("default", None, monkeypatch)
    assert (type(raised.value), raised.value.code, raised.value.retryable) in [
        (NoScore, ALONE, False),
        (InvalidRequest, ALONE, False),
    ]
    if isinstance(raised.value, NoScore):
        assert "sample 2 or more answers of each prompt" in str(raised.value)


@pytest.mark.parametrize("score", SHIMS.values(), ids=SHIMS)
def test_a_sample_alone_gets_the_number_that_was_declared(
    alone: FakeServer, monkeypatch: pytest.MonkeyPatch, score: Callable[..., Any]
) -> None:
    assert score("default", -0.5, monkeypatch) == -0.5


@pytest.mark.parametrize(("fallback", "acc"), [(-1.0, 0.0), (0.25, 0.25), (3, 1.0)])
def test_verl_s_acc_of_a_missing_reward_is_the_declared_number(alone: FakeServer, fallback: float, acc: float) -> None:
    told = asyncio.run(verl_reward.compute_score("d", "8", "8", ROW, group_size=8, fallback=fallback))
    assert (told["score"], told["acc"], told["kritai_failed"]) == (fallback, acc, 1.0)


def test_a_training_sample_of_a_group_of_one_is_asked_for_too(alone: FakeServer) -> None:
    told = asyncio.run(verl_reward.compute_score("d", "8", "8", {"question": "q"}, group_size=1, spec="maths"))
    assert told["score"] == 1.0
    assert [len(group["rollouts"]) for group in json.loads(alone.received[-1].body)["groups"]] == [1]
