"""The probe for drift: which group it keeps, when it sends it again and with what, and that no reward
of a trainer depends on it."""

from __future__ import annotations

import asyncio
import json
import pickle
import types
from typing import Any

import pytest
from fake_server import FakeServer, Received, Reply, problem, rewards, sent, serving

from kritai import AsyncKritai, DriftProbe, Group, Kritai, KritaiWarning
from kritai.shims.trl_reward import kritai_reward


def of(prompt: str, *texts: str) -> Group:
    return {"prompt": prompt, "language": "python", "rollouts": [{"text": text} for text in texts]}


FLAT, CLOSE, WIDE, BROKEN = of("a", "1", "1"), of("b", "1", "2"), of("c", "0", "9"), of("d", "0", "none")


def bodies(server: FakeServer) -> list[Any]:
    return [json.loads(request.body) for request in server.received]


def test_keeps_the_groups_whose_rewards_differ_most_and_sends_them_word_for_word(server: FakeServer) -> None:
    probe = DriftProbe(every=3)
    with Kritai(server.url) as client:
        for step in range(8):
            given: Any = {"run_id": "r", "spec": "mine"}
            result = client.rewards([FLAT, CLOSE, WIDE, BROKEN], step=step, **given)
            if step == 0:
                probe.keep([FLAT, CLOSE, WIDE, BROKEN], result, step)
            probe.send_blocking(client, step, **given)
    assert probe.steps == [3, 6]
    probes = [body for body in bodies(server) if len(body["groups"]) == 2]
    assert [(body["run_id"], body["step"], body["spec"]) for body in probes] == [("r", 3, "mine"), ("r", 6, "mine")]
    first = {group["prompt"]: {**group, "group_id": ""} for group in bodies(server)[0]["groups"]}
    for body in probes:
        # FLAT and BROKEN have no order.
        assert [{**group, "group_id": ""} for group in body["groups"]] == [first["c"], first["b"]]


def test_waits_for_groups_that_can_tell_and_takes_more_until_they_are_enough(server: FakeServer) -> None:
    probe = DriftProbe(every=2)
    large = of("e", *(str(number) for number in range(30)))
    with Kritai(server.url) as client:
        told: Group = {**CLOSE, "group_id": "0"}
        for step, groups in enumerate([[FLAT, BROKEN], [told], [large], [WIDE]]):
            probe.keep(groups, client.rewards(groups), step)
        assert probe.groups == [CLOSE, large]
        assert not probe.due(2)
        assert not probe.due(None)
        assert probe.send_blocking(client, 3, run_id="r") is not None


def test_what_was_sent_stays_as_it_was(server: FakeServer) -> None:
    probe = DriftProbe(every=1)
    with Kritai(server.url) as client:
        probe.keep([CLOSE], client.rewards([CLOSE]), 0)
        probe.send_blocking(client, 1, run_id="r")
        probe.keep([WIDE], client.rewards([WIDE]), 1)
    assert probe.groups == [CLOSE]


def test_of_several_processes_the_first_alone_probes(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "1")
    probe = DriftProbe()
    with Kritai(server.url) as client:
        probe.keep([WIDE], client.rewards([WIDE]), 0)
    assert probe.groups == []


def test_one_that_fails_is_a_warning_and_is_sent_at_the_next_step() -> None:
    def answer(request: Received, number: int) -> Reply | None:
        return problem(400, "invalid_request") if number == 1 else rewards(request, number)

    async def work() -> DriftProbe:
        probe = DriftProbe(every=2)
        async with AsyncKritai(server.url) as client:
            probe.keep([WIDE], await client.rewards([WIDE], run_id="r", step=0), 0)
            with pytest.warns(KritaiWarning, match="drift_probe: not sent at step 2: invalid_request"):
                assert await probe.send(client, 2, run_id="r") is None
            assert (await probe.send(client, 3, run_id="r")) is not None
            assert await probe.send(client, 4, run_id="r") is None
        return probe

    with serving(answer) as server:
        assert asyncio.run(work()).steps == [3]


def test_of_several_calls_of_one_step_the_first_alone_sends_it(server: FakeServer) -> None:
    async def work() -> DriftProbe:
        probe = DriftProbe(every=2)
        async with AsyncKritai(server.url) as client:
            probe.keep([WIDE], await client.rewards([WIDE], run_id="r", step=0), 0)
            sent = await asyncio.gather(*(probe.send(client, 2, run_id="r") for _ in range(3)))
        assert [result is None for result in sent] == [False, True, True]
        return probe

    assert asyncio.run(work()).steps == [2]
    assert len(server.received) == 2


def test_trl_probes_beside_its_own_request_and_gets_its_own_rewards(server: FakeServer) -> None:
    reward = pickle.loads(pickle.dumps(kritai_reward(server.url, run_id="r", drift_probe=2)))

    def call(step: int) -> Any:
        state = types.SimpleNamespace(global_step=step)
        given: Any = {"prompts": ["p", "p", "q", "q"], "completions": ["1", "2", "3", "7"], "trainer_state": state}
        return asyncio.run(reward(**given))

    assert [call(step) for step in (0, 1, 2, 3)] == [[1.0, 2.0, 3.0, 7.0]] * 4
    assert len(server.received) == 5
    # The step's own request has two groups; of four kept ones those of step 0 and of step 1 are alike.
    (probe,) = [body for body in bodies(server) if len(body["groups"]) == 4]
    assert (probe["run_id"], probe["step"], probe["groups"][0]["prompt"]) == ("r", 2, "q")
    assert [rollout["text"] for rollout in probe["groups"][0]["rollouts"]] == ["3", "7"]


def test_asks_for_a_run_and_for_steps(server: FakeServer) -> None:
    with pytest.raises(ValueError, match="drift_probe: needs run_id"):
        kritai_reward(server.url, drift_probe=20)
    with pytest.raises(ValueError, match="every: at least 1 step"):
        kritai_reward(server.url, run_id="r", drift_probe=0)
    asyncio.run(kritai_reward(server.url, run_id="r", drift_probe=1)(prompts=["p"] * 2, completions=["1", "2"]))
    assert "step" not in sent(server)
