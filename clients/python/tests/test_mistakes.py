"""Mistakes of a first call: each raises with the name that is meant, or is taken as it was meant."""

from __future__ import annotations

import asyncio
import threading
import warnings
from typing import Any

import pytest
from fake_server import FakeServer, Received, Reply, problem, rewards_reply, serving

from kritai import AsyncKritai, InvalidRequest, Kritai, KritaiError, KritaiWarning, Unauthorized
from kritai.near_names import near, unknown_names
from kritai.shims import verl_gathered, verl_reward
from kritai.shims.trl_reward import kritai_reward
from kritai.transport import server_address

ONE: Any = {"prompt": "p", "rollouts": [{"text": "1"}, {"text": "2"}]}
TEXTS = [{"text": "1"}]


@pytest.mark.parametrize(
    ("groups", "path", "message"),
    [
        ([{"prompt": "p", "completions": TEXTS}], "groups[0].completions", "did you mean `rollouts`"),
        ([{"prompt": "p", "responses": TEXTS}], "groups[0].responses", "did you mean `rollouts`"),
        ([ONE, {"prompt": "p", "rollout": TEXTS}], "groups[1].rollout", "did you mean `rollouts`"),
        ([{"prompt": "p", "Rollouts": TEXTS}], "groups[0].Rollouts", "did you mean `rollouts`"),
        ([{"prompt": "p"}], "groups[0].rollouts", "required"),
        ([{"prompt": "p", "rollouts": "1"}], "groups[0].rollouts", "and is a text"),
        ([{"prompt": "p", "rollouts": ["1", "2"]}], "groups[0].rollouts", 'element 0 is a text: write {"text": ..}'),
        ([{"prompt": "p", "rollouts": [*TEXTS, {"completion": "1"}]}], "groups[0].rollouts[1].completion", "`text`"),
        ([{"prompt": "p", "rollouts": [{"txt": "1"}]}], "groups[0].rollouts[0].txt", "`text`"),
        ([{"prompt": "p", "rollouts": [{"message": []}]}], "groups[0].rollouts[0].message", "`messages`"),
        ("p", "groups", "is a text"),
        (["p"], "groups[0]", "is a text"),
        (None, "groups", "NoneType"),
        ({"a": 1}.items(), "groups", "dict_items"),
    ],
)
def test_a_wrong_field_is_told_by_the_one_that_is_meant(groups: Any, path: str, message: str) -> None:
    with Kritai("http://127.0.0.1:9") as client:
        for call in (client.rewards, client.submit, lambda given: list(client.stream_rewards(given))):
            with pytest.raises(InvalidRequest, match=r"invalid_request") as raised:
                call(groups)
            assert [fault.path for fault in raised.value.errors] == [path]
            assert message in str(raised.value)
            assert str(raised.value).count(message) == 1


def test_a_single_group_is_a_list_of_one(server: FakeServer) -> None:
    with Kritai(server.url) as client:
        assert client.rewards(ONE).rewards == [[1.0, 2.0]]
        assert client.rewards({"prompt": "p", "rollouts": {"text": "3"}}).rewards == [[3.0]]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("option", "meant"),
    [("runid", "run_id"), ("run", "run_id"), ("timeout", "timeout_s"), ("onfailure", "on_failure"), ("Step", "step")],
)
def test_a_wrong_option_is_told_by_the_one_that_is_meant(option: str, meant: str) -> None:
    with Kritai("http://127.0.0.1:9") as client, pytest.raises(TypeError, match=f"{option} .did you mean `{meant}`"):
        client.rewards([ONE], **{option: "r"})  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["submit", "group", "stream_rewards", "verdicts"])
def test_each_method_tells_it(method: str) -> None:
    given: Any = {"group": ("p",), "verdicts": ([{}], "pair_em")}.get(method, ([ONE],))
    with Kritai("http://127.0.0.1:9") as client, pytest.raises(TypeError, match="did you mean"):
        list(getattr(client, method)(*given, runid="r"))


def test_shims_tell_it_before_the_first_step() -> None:
    with pytest.raises(TypeError, match=r"runid .did you mean `run_id`"):
        kritai_reward("http://127.0.0.1:9", runid="r")
    for shim in (verl_reward, verl_gathered):
        with pytest.raises(TypeError, match=r"reward_kwargs\.val_groupsize .did you mean `val_group_size`"):
            asyncio.run(shim.compute_score("d", "1", "", {"question": "p"}, group_size=1, val_groupsize=2))


def test_what_verl_adds_itself_is_left_alone(server: FakeServer) -> None:
    added: Any = {"reward_router_address": "a:1", "reward_model_tokenizer": None}
    told = asyncio.run(verl_reward.compute_score("d", "1", "", {"question": "p"}, group_size=1, **added))
    assert told["score"] == 1.0


def test_a_name_that_is_near_nothing_is_told_alone() -> None:
    assert near("reward_model_tokenizer", ["spec", "run_id"]) is None
    assert unknown_names(["zzz"], ["spec"]) == "zzz"


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/", "//", "/v1/rewards", "/v1/v1", "/v1/runs/", " "])
def test_an_address_with_a_route_is_the_servers(server: FakeServer, path: str) -> None:
    with Kritai(server.url + path) as client:
        assert client.rewards([ONE]).rewards == [[1.0, 2.0]]
    assert server.received[0].path == "/v1/rewards"


@pytest.mark.parametrize(
    "kept", ["https://host/kritai", "https://host/k/key", "https://host/v1/kritai", "https://v1", "http://h:1/v10"]
)
def test_an_address_below_a_path_of_its_own_is_kept(kept: str) -> None:
    assert server_address(f"{kept}/v1/rewards") == kept == server_address(kept)


def warned(request: Received, number: int) -> Reply:
    reply = rewards_reply(request)
    reply.body["warnings"] = ["groups_failed: 1 of 1 groups have no reward"]
    return reply


def test_warnings_point_at_the_users_line() -> None:
    async def many(url: str) -> None:
        async with AsyncKritai(url) as client:
            await asyncio.gather(client.rewards([ONE]), client.rewards([ONE]))

    with serving(warned) as server, Kritai(server.url) as client:
        calls = [
            lambda: client.rewards([ONE]),
            lambda: client.start(client.api.rewards([ONE])).result(),
            lambda: asyncio.run(many(server.url)),
            lambda: asyncio.run(kritai_reward(server.url)(prompts=["p"], completions=["1"])),
        ]
        for call in calls:
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                call()  # type: ignore[no-untyped-call]
            told = [each for each in seen if each.category is KritaiWarning]
            assert told
            assert {each.filename for each in told} == {__file__}


def test_a_warning_of_a_line_is_shown_once() -> None:
    with serving(warned) as server, Kritai(server.url) as client, warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        for _ in range(3):
            client.rewards([ONE])
    assert len([each for each in seen if each.category is KritaiWarning]) == 1


def test_a_warning_on_a_thread_of_the_users_points_at_it_too() -> None:
    with serving(warned) as server, Kritai(server.url) as client, warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        thread = threading.Thread(target=lambda: client.rewards([ONE]))
        thread.start()
        thread.join()
    assert {each.filename for each in seen if each.category is KritaiWarning} == {__file__}


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (403, "model_not_allowed", InvalidRequest),
        (403, "forbidden_scope", Unauthorized),
        (401, "unauthorized", Unauthorized),
    ],
)
def test_a_wrong_model_is_a_fault_of_the_request(status: int, code: str, kind: type[KritaiError]) -> None:
    with serving(lambda request, number: problem(status, code)) as server, Kritai(server.url) as client:
        with pytest.raises(KritaiError) as raised:
            client.rewards([ONE])
        assert type(raised.value) is kind


def test_a_message_is_printed_once() -> None:
    fault = {"path": "judge.model", "message": "what is wrong"}
    refused = serving(lambda request, number: problem(403, "model_not_allowed", errors=[fault]))
    with refused as server, Kritai(server.url) as client, pytest.raises(InvalidRequest) as raised:
        client.rewards([ONE])
    assert str(raised.value).count("what is wrong") == 1
