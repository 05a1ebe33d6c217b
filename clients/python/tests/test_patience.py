"""Shims and clients that ask again for what may come later, validation samples, and SkyRL's serial
steps."""

from __future__ import annotations

import asyncio
import importlib
import sys
import time
import types
from typing import Any

import pytest
from conftest import numbered
from fake_server import Answer, FakeServer, Received, Reply, problem, rewards, serving

from kritai import Kritai, Limits, RetryPolicy, planned_call, transport
from kritai.gather import Gather, forget_shared, patience
from kritai.shims import verl_gathered, verl_reward

QUICK = RetryPolicy(retries_max=1, base_s=0.001, cap_s=0.002)


def outage(requests: int) -> Answer:
    """A server whose verifier is down for this many requests: the second reward of each one's first
    group is missing."""

    def answer(request: Received, number: int) -> Reply:
        reply = rewards(request, number)
        if number < requests:
            reply.body["groups"][0]["rollouts"][1] |= {
                "reward": None,
                "error": "verifier_unavailable",
                "retryable": True,
            }
        return reply

    return answer


def test_a_patient_call_asks_again_for_the_groups_that_miss_a_reward_only() -> None:
    with serving(outage(12)) as server, Kritai(server.url, retry=QUICK) as client:
        result = client.rewards(numbered(3), patient=True)
    assert None not in result.flat
    assert [len(request.json["groups"]) for request in server.received] == [3, *[1] * 12]


@pytest.mark.parametrize(("retryable", "requests"), [(False, 1), (True, 2)])
def test_what_the_server_says_will_not_come_is_not_asked_again(retryable: bool, requests: int) -> None:
    def answer(request: Received, number: int) -> Reply:
        reply = rewards(request, number)
        if number == 0:
            reply.body["groups"][0]["rollouts"][1] |= {"reward": None, "error": "partial", "retryable": retryable}
        return reply

    with serving(answer) as server, Kritai(server.url, retry=QUICK) as client:
        result = client.rewards(numbered(1), patient=True)
    assert len(server.received) == requests
    assert result.rewards == [[0.0, 0.01 if retryable else None]]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> types.SimpleNamespace:
    """Time as calls and their deadlines read it: it passes only where a test says so."""
    standing = types.SimpleNamespace(now=time.monotonic())
    read = types.SimpleNamespace(monotonic=lambda: standing.now)
    for module in (transport, planned_call):
        monkeypatch.setattr(module, "time", read)
    return standing


def test_a_group_that_never_gets_its_reward_keeps_no_other_from_being_asked(clock: types.SimpleNamespace) -> None:
    def answer(request: Received, number: int) -> Reply:
        clock.now += 10
        reply = rewards(request, number)
        if request.json["groups"][0]["prompt"] == "p0":
            reply.body["groups"][0]["rollouts"][1] |= {"reward": None, "error": "verifier_bad_reply", "retryable": True}
        return reply

    one = Limits(parts=1)
    with serving(answer) as server, Kritai(server.url, retry=QUICK, limits=one, concurrency=1) as client:
        result = client.rewards(numbered(3), patient=True, timeout_s=120)
    assert result.rewards == [[0.0, None], [1.0, 1.01], [2.0, 2.01]]


def test_a_call_that_asked_again_names_every_request_and_is_logged() -> None:
    with serving(outage(2)) as server, Kritai(server.url, retry=QUICK) as client:
        result = client.rewards(numbered(3), patient=True)
    assert result.request_ids == ["01R0", "01R1", "01R2"]
    assert result.logged is True
    assert result.metrics["reward_mean"] == sum(map(float, result.flat)) / len(result.flat)  # type: ignore[arg-type]


def test_a_call_without_patience_takes_what_there_is() -> None:
    with serving(outage(1)) as server, Kritai(server.url, retry=QUICK) as client:
        assert None in client.rewards(numbered(1)).flat


def test_a_patient_call_ends_by_its_timeout(clock: types.SimpleNamespace) -> None:
    never = outage(10_000)

    def answer(request: Received, number: int) -> Reply | None:
        clock.now += 10
        return never(request, number)

    with serving(answer) as server, Kritai(server.url, retry=QUICK) as client:
        assert None in client.rewards(numbered(1), patient=True, timeout_s=60).flat
    assert len(server.received) == 6


def test_gathered_samples_outlast_more_failures_than_any_count_of_retries() -> None:
    def refusing(request: Received, number: int) -> Reply:
        return problem(503, "not_ready", retryable=True) if number < 20 else rewards(request, number)

    with serving(refusing) as server:
        gather = Gather(Kritai(server.url, retry=QUICK), group_size=2)
        answers = [gather.submit("p", text) for text in ("1", "2")]
        assert [answer.result(10)["reward"] for answer in answers] == [1.0, 2.0]


def test_verl_gathered_is_let_go_more_often_than_the_client_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    def letting_go(request: Received, number: int) -> Reply:
        return problem(503, "gathering", retryable=True) if number < 9 else Reply(body={"score": 0.5})

    monkeypatch.setattr(RetryPolicy, "wait_s", lambda *given: 0.001)
    with serving(letting_go) as server:
        forget_shared()
        monkeypatch.setenv("KRITAI_BASE_URL", server.url)
        row = {"question": "p", "split": "train"}
        assert asyncio.run(verl_gathered.compute_score("d", "a", "", row, group_size=8)) == {"score": 0.5}
        forget_shared()
    assert "tries=8" in server.received[0].path
    assert server.received[0].json["extra_info"] == {"question": "p", "split": "train"}


def test_a_patient_call_that_was_held_and_then_cut_comes_back_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[int] = []

    def wait_s(policy: RetryPolicy, tries: int, *given: object) -> float:
        pauses.append(tries)
        return 0.001

    monkeypatch.setattr(RetryPolicy, "wait_s", wait_s)
    # Longer than a reply takes that is not held back, whatever else the machine does.
    monkeypatch.setattr(transport, "HELD_S", 2)

    def holding(request: Received, number: int) -> Reply:
        if number >= 6:
            return Reply(body=0.5)
        return Reply(pieces=[b" ", lambda: time.sleep(2.1 if number >= 3 else 0)], cut=True)

    with serving(holding) as server, Kritai(server.url) as client:
        assert client.call("POST", "/slime/reward", {}, patient=True) == 0.5
    assert pauses == [0, 1, 2, 0, 0, 0]


@pytest.mark.parametrize("timeout_s", [120, 300, 1500])
def test_a_call_that_is_let_go_is_judged_within_its_timeout(timeout_s: float) -> None:
    options = patience(timeout_s)
    half_s = options["deadline_ms"] / 2000
    let_go = sum(min(half_s, 2.0**tries) + 1.25 for tries in range(options["tries"] - 2))
    assert let_go + 2 * half_s < timeout_s


def test_verls_validation_gathers_its_own_number_of_samples(server: FakeServer) -> None:
    row = {"question": "p", "split": "test"}

    async def two() -> list[dict[str, float]]:
        calls = (verl_reward.compute_score("d", text, "", row, group_size=8, val_group_size=2) for text in "12")
        return list(await asyncio.gather(*calls))

    assert [scored["score"] for scored in asyncio.run(two())] == [1.0, 2.0]


@pytest.fixture
def skyrl(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The shim's module over a stand-in for SkyRL's base class."""
    base: Any = types.ModuleType("skyrl_gym.envs.base_text_env")
    base.BaseTextEnv, base.BaseTextEnvStepOutput = object, dict
    for name in ("skyrl_gym", "skyrl_gym.envs"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, "skyrl_gym.envs.base_text_env", base)
    monkeypatch.delitem(sys.modules, "kritai.shims.skyrl_env", raising=False)
    monkeypatch.setenv("KRITAI_GROUP_SIZE", "2")
    return importlib.import_module("kritai.shims.skyrl_env")


def test_skyrls_batched_generator_is_refused_when_it_makes_its_environments(skyrl: Any) -> None:
    async def generate_batched() -> None:
        skyrl.KritaiEnv()

    with pytest.raises(RuntimeError, match=r"generator\.batched=false"):
        asyncio.run(generate_batched())


def test_a_step_on_skyrls_event_loop_is_refused_at_once(skyrl: Any) -> None:
    async def agent_loop() -> None:
        skyrl.KritaiEnv().step("a")

    with pytest.raises(RuntimeError, match="max_env_workers"):
        asyncio.run(agent_loop())


def test_areals_validation_is_a_group_of_one_unless_it_says_how_many_samples_it_has(
    areal_shim: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reward(**row: Any) -> float:
        scored: float = asyncio.run(areal_shim.kritai_reward("p", "a", [1], [2], **row))
        return scored

    forget_shared()
    with serving(lambda request, number: Reply(body=0.5)) as server:
        monkeypatch.setenv("KRITAI_BASE_URL", server.url)
        monkeypatch.setenv("KRITAI_GROUP_SIZE", "8")
        assert [reward(split="test"), reward(extra_info={"split": "validation"})] == [0.5, 0.5]
        assert ["group_size=1&" in request.path for request in server.received] == [True, True]
        server.received.clear()
        monkeypatch.setenv("KRITAI_VAL_GROUP_SIZE", "4")
        assert [reward(split="test"), reward(split="train")] == [0.5, 0.5]
        assert ["group_size=4" in request.path for request in server.received] == [True, False]
    forget_shared()
