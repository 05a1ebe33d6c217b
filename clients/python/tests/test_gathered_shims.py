"""Shims that hand samples to the server's own gathering: AReaL, slime and miles, NeMo-Gym's relay."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import types
import urllib.error
import urllib.request
from typing import Any, cast

import pytest
from fake_server import FakeServer, Received, Reply, problem, serving

from kritai import KritaiError, NoScore
from kritai.burst_server import BurstServer
from kritai.gather import forget_shared
from kritai.shims import nemo_gym_relay, slime_reward


def test_areal_gets_a_float_by_the_servers_own_gathering(monkeypatch: pytest.MonkeyPatch, areal_shim: Any) -> None:
    monkeypatch.setenv("KRITAI_RUN_ID", "mine")
    replies: list[Any] = [0.5, None]
    forget_shared()
    workflow = areal_shim.KritaiWorkflow(reward_fn="some.other", gconfig=None, tokenizer=None)
    data = {"messages": "p", "generated": "c", "answer": "a", "prompt": "a column of that name"}
    with serving(lambda request, number: Reply(body=replies[number])) as server:
        monkeypatch.setenv("KRITAI_BASE_URL", server.url)
        monkeypatch.setenv("KRITAI_GROUP_SIZE", "8")
        monkeypatch.setenv("KRITAI_QUERY", "spec=strict")
        assert asyncio.run(workflow.arun_episode(None, data)) == 0.5
        with pytest.raises(NoScore):
            asyncio.run(workflow.arun_episode(None, data))
    assert server.received[0].path == "/slime/reward?group_size=8&deadline_ms=48000&tries=8&spec=strict&run_id=mine"
    assert server.received[0].json == {
        "prompt": "p",
        "response": "c",
        "label": {"answer": "a", "prompt": "a column of that name"},
    }


def test_areal_and_slime_hand_on_their_step_for_the_run_log_alone(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch, areal_shim: Any
) -> None:
    monkeypatch.setenv("KRITAI_GROUP_SIZE", "8")
    workflow = areal_shim.KritaiWorkflow(reward_fn="some.other", gconfig=None, tokenizer=None)
    engine = types.SimpleNamespace(get_version=lambda: 17)
    hooks = types.SimpleNamespace(_current_rollout_id=18)
    monkeypatch.setitem(sys.modules, "slime.rollout.sample_hooks", cast("types.ModuleType", hooks))
    with serving(lambda request, number: Reply(body=0.5)) as single:
        monkeypatch.setenv("KRITAI_BASE_URL", single.url)
        forget_shared()
        asyncio.run(workflow.arun_episode(engine, {"messages": "p", "generated": "c"}))
        asyncio.run(slime_reward.reward(types.SimpleNamespace(n_samples_per_prompt=8), slime_sample("1")))
        assert ["log_step=17" in single.received[0].path, "log_step=18" in single.received[1].path] == [True, True]
    monkeypatch.setenv("KRITAI_BASE_URL", server.url)
    asyncio.run(slime_reward.reward(None, [slime_sample("1"), slime_sample("22")]))
    assert server.received[0].json["step"] == 18


def slime_sample(response: str) -> Any:
    return types.SimpleNamespace(prompt="p", response=response, response_length=len(response), label="l")


def test_slime_posts_a_group_that_it_has_whole_and_takes_numbers_only(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KRITAI_BASE_URL", server.url)
    monkeypatch.setenv("KRITAI_RUN_ID", "r")
    group = [slime_sample("1"), slime_sample("22")]
    assert asyncio.run(slime_reward.reward(None, group)) == [1.0, 22.0]
    body = server.received[0].json
    assert (body["run_id"], body["groups"][0]["prompt"]) == ("r", "p")
    assert body["groups"][0]["rollouts"] == [{"text": "1", "length_tokens": 1}, {"text": "22", "length_tokens": 2}]
    with pytest.raises(NoScore):
        asyncio.run(slime_reward.reward(None, [slime_sample("none"), slime_sample("1")]))
    monkeypatch.setenv("KRITAI_FALLBACK", "-1")
    assert asyncio.run(slime_reward.reward(None, [slime_sample("none"), slime_sample("1")])) == [-1.0, 1.0]


def test_slime_has_a_sample_of_its_own_gathered_by_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KRITAI_RUN_ID", "mine")
    replies: list[Any] = [0.5, None]
    forget_shared()
    arguments = types.SimpleNamespace(n_samples_per_prompt=8)
    with serving(lambda request, number: Reply(body=replies[number])) as server:
        monkeypatch.setenv("KRITAI_BASE_URL", server.url)
        assert asyncio.run(slime_reward.reward(arguments, slime_sample("c"))) == 0.5
        with pytest.raises(NoScore):
            asyncio.run(slime_reward.reward(arguments, slime_sample("c")))
    assert server.received[0].path == "/slime/reward?group_size=8&deadline_ms=240000&tries=8&spec=default&run_id=mine"
    assert server.received[0].json == {"prompt": "p", "response": "c", "label": "l"}


@pytest.mark.parametrize(("status", "code"), [(503, "not_ready"), (400, "invalid_request")])
def test_slime_gives_the_declared_number_where_no_server_answers_in_time_and_raises_what_is_wrong(
    monkeypatch: pytest.MonkeyPatch, status: int, code: str
) -> None:
    arguments = types.SimpleNamespace(n_samples_per_prompt=8)

    def ask() -> Any:
        return asyncio.run(slime_reward.reward(arguments, slime_sample("c")))

    forget_shared()
    with serving(lambda request, number: problem(status, code, retryable=status == 503)) as server:
        monkeypatch.setenv("KRITAI_BASE_URL", server.url)
        monkeypatch.setenv("KRITAI_TIMEOUT_S", "0.3" if status == 503 else "60")
        # On a busy machine not even the first reply is there in so little time.
        with pytest.raises(KritaiError) if status == 503 else pytest.raises(KritaiError, match=code):
            ask()
        monkeypatch.setenv("KRITAI_FALLBACK", "-1")
        if status == 503:
            assert ask() == -1.0
        else:
            with pytest.raises(KritaiError, match=code):
                ask()


def test_the_nemo_gym_relay_hands_on_bodies_keys_and_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KRITAI_RUN_ID", "mine")

    def upstream(request: Received, number: int) -> Reply:
        if request.path.startswith("/nemo-gym/verify"):
            return Reply(body={**request.json, "reward": 1.0})
        return Reply(body={"ok": 1}) if request.method == "GET" else problem(422, "invalid_request")

    forget_shared()
    with serving(upstream) as server:
        monkeypatch.setenv("KRITAI_BASE_URL", server.url)
        monkeypatch.setenv("KRITAI_API_KEY", "k")
        monkeypatch.setenv("KRITAI_QUERY", "group_size=8")
        monkeypatch.setattr(nemo_gym_relay.Relay, "log_message", lambda *args: None)
        relay = BurstServer(("127.0.0.1", 0), nemo_gym_relay.Relay)
        thread = threading.Thread(target=relay.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            address = f"http://127.0.0.1:{relay.server_port}"
            body = json.dumps({"response": {"output": []}, "expected_answer": "4"}).encode()
            reply = json.load(urllib.request.urlopen(urllib.request.Request(f"{address}/verify", body)))
            assert reply == {"response": {"output": []}, "expected_answer": "4", "reward": 1.0}
            assert json.load(urllib.request.urlopen(f"{address}/reverify_mode")) == {"ok": 1}
            with pytest.raises(urllib.error.HTTPError) as caught:
                urllib.request.urlopen(urllib.request.Request(f"{address}/seed_session", b"{}"))
            assert caught.value.code == 422
        finally:
            relay.shutdown()
            relay.server_close()
            thread.join()
    assert server.received[0].path == "/nemo-gym/verify?group_size=8&run_id=mine"
    assert server.received[0].headers["authorization"] == "Bearer k"
