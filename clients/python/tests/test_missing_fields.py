"""Replies of an older server: the error for a field that it does not send names the field, blocking and
async alike, at whatever depth."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
from collections.abc import Iterator
from typing import Any

import pytest
from fake_server import FakeServer, Received, Reply, rewards, serving

from kritai import AsyncKritai, BadReply, Group, Kritai, KritaiError, MissingField

GROUPS: list[Group] = [{"prompt": "p", "rollouts": [{"text": "1"}, {"text": "2"}]}]


def _older(request: Received, number: int) -> Reply | None:
    """A server of before `jams_judge`, `metrics.list_acc` and an alarm's `evidence`."""
    if "/health" in request.path:
        span = {"alarm": "nulls", "level": "alarm", "from_step": 1, "to_step": None}
        return Reply(body={"run_id": "r", "on": ["nulls"], "alarms": [span]})
    reply = rewards(request, number)
    assert reply is not None
    body = copy.deepcopy(reply.body)
    for group in body["groups"]:
        del group["metrics"]["list_acc"]
        for rollout in group["rollouts"]:
            del rollout["jams_judge"]
    return Reply(body=body)


@pytest.fixture
def old() -> Iterator[FakeServer]:
    with serving(_older) as running:
        yield running


def _scored(url: str, *, blocking: bool) -> Any:
    if blocking:
        with Kritai(url) as client:
            return client.rewards(GROUPS)

    async def work() -> Any:
        async with AsyncKritai(url) as client:
            return await client.rewards(GROUPS)

    return asyncio.run(work())


@pytest.mark.parametrize("blocking", [True, False])
def test_a_nested_field_that_is_not_there_is_named_with_those_that_are(old: FakeServer, *, blocking: bool) -> None:
    result = _scored(old.url, blocking=blocking)
    assert result.rewards == [[1.0, 2.0]]
    group = result.groups[0]
    with pytest.raises(MissingField, match=r"no field 'list_acc' beside parse_rate, tau_b, .*an older server"):
        group["metrics"]["list_acc"]
    with pytest.raises(MissingField, match="no field 'jams_judge' beside reward, error"):
        group["rollouts"][1]["jams_judge"]
    assert group["metrics"].get("list_acc") is None
    assert "list_acc" not in group["metrics"]


def test_it_is_a_bad_reply_and_still_a_key_error_for_who_expects_one(old: FakeServer) -> None:
    metrics = _scored(old.url, blocking=True).groups[0]["metrics"]
    for kind in (KeyError, BadReply, KritaiError):
        with pytest.raises(kind):
            metrics["list_acc"]


def test_an_alarm_without_its_evidence_is_told_so(old: FakeServer) -> None:
    with Kritai(old.url) as client, pytest.raises(MissingField, match="no field 'evidence' beside alarm"):
        client.log.health("r")


def test_a_group_that_was_never_answered_names_its_missing_fields_too() -> None:
    with Kritai("http://127.0.0.1:9") as client:
        result = client.rewards(GROUPS, on_failure="null", timeout_s=1)
    with pytest.raises(MissingField, match="no field 'points'"):
        result.groups[0]["points"]


def test_replies_copy_pickle_and_are_written_as_any_dict(old: FakeServer) -> None:
    group: Any = _scored(old.url, blocking=True).groups[0]
    for again in (group.copy(), copy.deepcopy(group), pickle.loads(pickle.dumps(group)), json.loads(json.dumps(group))):
        assert again == group
    for again in (group.copy(), copy.deepcopy(group), pickle.loads(pickle.dumps(group))):
        with pytest.raises(MissingField):
            again["nothing"]
