"""The shims whose samples the server gathers, against the real stack: each sample gets what its
group gets from /v1/rewards."""

from __future__ import annotations

import asyncio
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from kritai import InvalidRequest, Kritai
from kritai.burst_server import BurstServer
from kritai.gather import forget_shared
from kritai.shims import nemo_gym_relay, verl_gathered

PROMPT = "Read n and print n {}.\n\nSample Input 1\n```\n4\n```\nSample Output 1\n```\n8\n```"
SAMPLES = ["```python\nprint(int(input()) * 2)\n```", "```python\nprint(int(input()) - 2)\n```", "no program"]


@pytest.fixture(autouse=True)
def _environment(url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    forget_shared()
    monkeypatch.setenv("KRITAI_BASE_URL", url)
    monkeypatch.setenv("KRITAI_GROUP_SIZE", str(len(SAMPLES)))
    yield
    forget_shared()


@pytest.fixture(scope="module")
def expected(url: str) -> list[float | None]:
    with Kritai(url) as client:
        return client.rewards([{"prompt": PROMPT, "rollouts": [{"text": text} for text in SAMPLES]}]).flat


def test_areals_samples_get_the_rewards_of_their_group(expected: list[float | None], areal_shim: Any) -> None:
    workflow = areal_shim.KritaiWorkflow(gconfig=None, tokenizer=None)

    async def group() -> list[float]:
        data = [{"messages": PROMPT, "generated": text, "answer": "a"} for text in SAMPLES]
        return list(await asyncio.gather(*(workflow.arun_episode(None, each) for each in data)))

    assert asyncio.run(group()) == expected


def test_verls_samples_get_the_rewards_of_their_group_with_constant_keys(expected: list[float | None]) -> None:
    async def scored() -> list[dict[str, float]]:
        given: Any = {"data_source": "d", "ground_truth": {"a": 1}, "extra_info": {"question": PROMPT}, "group_size": 3}
        return await asyncio.gather(*(verl_gathered.compute_score(solution_str=text, **given) for text in SAMPLES))

    results = asyncio.run(scored())
    assert [result["score"] for result in results] == expected
    assert len({frozenset(result) for result in results}) == 1
    assert all(isinstance(value, (int, float)) for result in results for value in result.values())


def test_a_verl_sample_without_a_group_is_the_declared_fallback_or_an_error() -> None:
    given: Any = {"data_source": "d", "ground_truth": "", "extra_info": {"question": "alone"}, "group_size": 1}
    declared = asyncio.run(verl_gathered.compute_score(solution_str=SAMPLES[0], fallback=-0.25, **given))
    assert (declared["score"], declared["rm_fallback"]) == (-0.25, 1)
    with pytest.raises(InvalidRequest, match="group_too_small"):
        asyncio.run(verl_gathered.compute_score(solution_str=SAMPLES[1], timeout_s=60, **given))


@pytest.fixture
def relay(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(nemo_gym_relay.Relay, "log_message", lambda *args: None)
    server = BurstServer(("127.0.0.1", 0), nemo_gym_relay.Relay)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def verify_body(text: str) -> dict[str, Any]:
    """A row of a gym's dataset with the policy's response, as its agents post it."""
    message = {"id": "m", "type": "message", "role": "assistant", "status": "completed"}
    output = [{**message, "content": [{"type": "output_text", "text": text, "annotations": []}]}]
    response = {"id": "r", "created_at": 0, "model": "m", "object": "response", "output": output}
    response |= {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    return {"responses_create_params": {"input": PROMPT}, "response": response, "row": 7}


def post(url: str, body: object) -> Any:
    sent = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
    return json.load(urllib.request.urlopen(sent))


def test_a_gyms_samples_through_the_relay_get_the_rewards_of_their_group(
    relay: str, expected: list[float | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KRITAI_QUERY", "group_size=3&on_failure=error")
    assert post(f"{relay}/seed_session", {"row": 7}) == {}
    bodies = [verify_body(text) for text in SAMPLES]
    with ThreadPoolExecutor(len(SAMPLES)) as pool:
        replies = list(pool.map(lambda body: post(f"{relay}/ng-rollout/r1/verify", body), bodies))
    assert [reply["reward"] for reply in replies] == expected
    for body, reply in zip(bodies, replies, strict=True):
        assert {name: reply[name] for name in body} == body
        assert reply["reward"] == pytest.approx(sum(reply["reward_components"].values()), rel=1e-5)


def test_the_relay_takes_a_whole_batch_at_once_whatever_the_order_of_its_groups(
    relay: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KRITAI_QUERY", "group_size=3&on_failure=error&deadline_ms=60000")
    groups = 100
    bodies = [verify_body(f"{text}{' ' * group}.") for text in SAMPLES for group in range(groups)]
    for at, body in enumerate(bodies):
        body["label"] = at % groups
    with ThreadPoolExecutor(len(bodies)) as pool:
        replies = list(pool.map(lambda body: post(f"{relay}/verify", body), bodies))
    assert {reply["rm_members"] for reply in replies} == {3}


def test_the_relay_answers_the_gyms_readiness_probe_and_hands_on_refusals(relay: str) -> None:
    assert urllib.request.urlopen(f"{relay}/").status == 200
    with pytest.raises(urllib.error.HTTPError) as caught:
        post(f"{relay}/verify", {"response": {}})
    assert caught.value.code == 400
    assert "responses_create_params" in json.load(caught.value)["detail"]
