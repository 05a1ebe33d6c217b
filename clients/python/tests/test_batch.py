"""A batch that the server scores on its own: submitted once, waited for, cancelled, found again."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import QUICK, expected, numbered
from fake_server import Received, Reply, problem, rewards_reply, serving

from kritai import Kritai, KritaiError

BATCH_ID = "01K00000000000000000000000"


def view(state: str, **more: Any) -> dict[str, Any]:
    empty: dict[str, Any] = {"results": [], "reply": None, "error": None, "ended_at": None}
    return {"batch_id": BATCH_ID, "state": state, "progress": {}, "created_at": "", "deadline_at": "", **empty, **more}


class Server:
    """Takes a batch at the second attempt, and says `states` of it one after the other."""

    def __init__(self, *states: dict[str, Any]) -> None:
        self.states = list(states)
        self.submitted: Received | None = None

    def __call__(self, received: Received, before: int) -> Reply | None:
        if received.method == "POST":
            self.submitted = received
            return None if before == 0 else Reply(202, {"batch_id": BATCH_ID, "state": "queued"})
        if received.method == "DELETE":
            return Reply(200, view("cancelled"))
        found = self.states.pop(0) if len(self.states) > 1 else self.states[0]
        if found["state"] == "done" and self.submitted is not None:
            return Reply(200, {**found, "reply": rewards_reply(self.submitted).body})
        return Reply(200, found)


def test_a_batch_is_submitted_under_one_key_and_waited_for_until_it_is_done() -> None:
    server = Server(view("queued"), view("running"), view("done"))
    with serving(server) as fake, Kritai(fake.url, retry=QUICK) as client:
        batch = client.submit(numbered(3), run_id="r", step=2)
        assert batch.wait().rewards == expected(3)
    posts = [received for received in fake.received if received.method == "POST"]
    assert [received.headers["prefer"] for received in posts] == ["respond-async"] * 2
    assert len({received.headers["idempotency-key"] for received in posts}) == 1
    assert posts[0].json == posts[1].json
    assert [posts[0].json[name] for name in ("run_id", "step", "deadline_ms")] == ["r", 2, 1_800_000]
    assert fake.received[-1].path == f"/v1/batches/{BATCH_ID}?wait=30"


def test_a_server_that_is_away_while_a_batch_is_waited_for_is_asked_until_it_is_back() -> None:
    server = Server(view("queued"), view("done"))

    def away(received: Received, before: int) -> Reply | None:
        return problem(503, "not_ready", retryable=True) if 3 <= before < 13 else server(received, before)

    with serving(away) as fake, Kritai(fake.url, retry=QUICK) as client:
        assert client.submit(numbered(3)).wait().rewards == expected(3)
    assert len(fake.received) == 14


def test_what_failed_or_was_cancelled_is_raised_with_its_code() -> None:
    failed = view("failed", error={"code": "list_too_long", "detail": "too long", "errors": []})
    for state, code in ((failed, "list_too_long"), (view("cancelled"), "cancelled")):
        with (
            serving(Server(state)) as fake,
            Kritai(fake.url, retry=QUICK) as client,
            pytest.raises(KritaiError) as raised,
        ):
            client.batch(BATCH_ID).wait()
        assert raised.value.code == code


def test_a_batch_is_cancelled_and_a_wait_has_an_end() -> None:
    with serving(Server(view("running"))) as fake, Kritai(fake.url, retry=QUICK) as client:
        batch = client.batch(BATCH_ID)
        with pytest.raises(KritaiError, match="timeout_s"):
            batch.wait(timeout_s=0.05)
        assert batch.cancel()["state"] == "cancelled"
    assert fake.received[-1].method == "DELETE"
