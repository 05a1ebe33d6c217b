"""The synchronous face, the run log's pages, the progress bar."""

from __future__ import annotations

import asyncio
import io
import os
import sys
import threading
from typing import Any

import pytest
from conftest import QUICK, expected, numbered
from fake_server import Received, Reply, line, problem, rewards, rewards_reply, scored_group, serving, tail

from kritai import AsyncKritai, InvalidRequest, Kritai, KritaiWarning, Limits, NotFound, Unavailable
from kritai.progress import ProgressBar


def test_one_client_serves_many_threads() -> None:
    with serving(rewards) as server, Kritai(server.url) as client:
        results: list[Any] = [None] * 8
        threads = [
            threading.Thread(target=lambda at=at: results.__setitem__(at, client.rewards(numbered(at + 1)).rewards))
            for at in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert results == [expected(at + 1) for at in range(8)]


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_client_works_in_a_forked_process() -> None:
    with serving(rewards) as server:
        client = Kritai(server.url)
        client.rewards(numbered(1))
        child = os.fork()
        if child == 0:
            os._exit(0 if client.rewards(numbered(2)).rewards == expected(2) else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert client.rewards(numbered(1)).rewards == expected(1)


def test_a_client_works_again_after_close_and_inside_a_running_loop() -> None:
    async def inside(client: Kritai) -> object:
        return client.rewards(numbered(1)).rewards

    with serving(rewards) as server:
        client = Kritai(server.url)
        client.rewards(numbered(1))
        client.close()
        assert asyncio.run(inside(client)) == expected(1)
        client.close()


def test_what_a_reply_warns_of_is_a_python_warning_whole_and_streamed() -> None:
    def warns(request: Received, number: int) -> Reply:
        reply = rewards_reply(request)
        return Reply(body={**reply.body, "warnings": ["parse_rate_low", "a_new_one"]})

    with serving(warns) as server, pytest.warns(KritaiWarning) as caught:
        result = Kritai(server.url).rewards(numbered(1))
    assert result.warnings == ["a_new_one", "parse_rate_low"]
    assert [str(each.message).split(":")[0] for each in caught] == ["a_new_one", "parse_rate_low"]

    def streams(request: Received, number: int) -> Reply:
        groups = [{"type": "group", "index": 0, **scored_group(request.json["groups"][0])}]
        done = {"type": "done", **tail(request.json, "01R"), "warnings": ["no_candidates"]}
        return Reply(pieces=[line(event) for event in [*groups, done]])

    with serving(streams) as server, pytest.warns(KritaiWarning, match="no_candidates"):
        list(Kritai(server.url).stream_rewards(numbered(1)))


def test_an_async_client_serves_one_loop_after_another() -> None:
    with serving(rewards) as server:
        client = AsyncKritai(server.url)
        for _ in range(2):
            assert asyncio.run(client.rewards(numbered(1))).rewards == expected(1)


def test_a_cancelled_call_lets_go_of_its_connection() -> None:
    arrived = threading.Event()

    def answer(request: Received, number: int) -> Reply:
        arrived.set()
        return Reply(pieces=[b"\n" * 65_536] * 5000)

    async def cancel(url: str) -> None:
        async with AsyncKritai(url) as client:
            task = asyncio.ensure_future(client.rewards(numbered(1)))
            await asyncio.to_thread(arrived.wait, 10)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    with serving(answer) as server:
        asyncio.run(cancel(server.url))
        assert server.left.wait(10)


def test_the_log_is_read_page_by_page() -> None:
    evidence = {"step": 7, "value": 0.25, "threshold": 0.02}
    nulls = {"alarm": "nulls", "level": "alarm", "from_step": 5, "to_step": None, "evidence": evidence}
    said = {**nulls, "says": "25 % of the rollouts have no reward (deadline 4)"}
    over = {**nulls, "alarm": "at_cap", "to_step": 6}

    def answer(request: Received, number: int) -> Reply:
        pages = {
            "/v1/runs": {"runs": [{"run_id": "a"}], "next_cursor": "c 1"},
            "/v1/runs?cursor=c+1": {"runs": [{"run_id": "b"}], "next_cursor": None},
            "/v1/runs/a/groups?step=3": {"groups": [{"id": "x"}], "next_cursor": None},
            "/v1/runs/a/steps": {"steps": [{"step": 3}]},
            "/v1/runs/a/health?steps=9": {"on": ["nulls"], "alarms": [nulls, over]},
            "/v1/runs/b/health": {"on": ["nulls"], "alarms": [said]},
        }
        body = pages.get(request.path)
        return problem(404, "not_found") if body is None else Reply(body=body)

    with serving(answer) as server:
        log = Kritai(server.url).log
        assert [run["run_id"] for run in log.runs()] == ["a", "b"]
        assert [group["id"] for group in log.groups("a", step=3)] == ["x"]
        assert [row["step"] for row in log.steps("a")] == [3]
        with pytest.warns(KritaiWarning, match=r"nulls: 0.25 at step 7 .*, since step 5") as warned:
            assert log.health("a", steps=9)["on"] == ["nulls"]
        assert len(warned) == 1
        with pytest.warns(KritaiWarning, match=r"nulls: 25 % of the rollouts .*, since step 5; see"):
            log.health("b")
        with pytest.raises(NotFound):
            log.run("none")
        with pytest.raises(NotFound):
            log.verdicts("a/b")
    assert server.received[-1].path == "/v1/groups/a%2Fb/verdicts"


def test_a_run_is_described_and_deleted_to_its_end() -> None:
    def answer(request: Received, number: int) -> Reply:
        if request.method == "PUT":
            return Reply(body={"run_id": "a/b", "owner": None, "metadata": request.json})
        done = {"run_id": "a/b", "owner": "ci", "before": "2026-01-01T00:00:00.001Z", "complete": number == 2}
        return Reply(body={**done, "deleted": {"requests": 500, "rooms": 1 if number == 2 else 0}})

    with serving(answer) as server:
        log = Kritai(server.url).log
        assert log.describe("a/b", {"lr": 1e-6, "commit": None})["metadata"] == {"lr": 1e-6, "commit": None}
        assert log.delete("a/b", owner="ci")["deleted"] == {"requests": 1000, "rooms": 1}
        with pytest.raises(InvalidRequest):
            log.describe("a/b", {"lr": float("nan")})
    paths = [(request.method, request.path) for request in server.received]
    assert paths == [("PUT", "/v1/runs/a%2Fb"), *[("DELETE", "/v1/runs/a%2Fb?owner=ci")] * 2]


def test_an_export_gives_every_row_or_an_error() -> None:
    row, end = line({"type": "row", "id": "x"}), line({"type": "end", "rows": 1})
    fault = line({"type": "error", "code": "store_unavailable", "detail": "d", "rows": 1, "request_id": "r"})
    answers = [Reply(pieces=[row, end]), Reply(pieces=[row]), Reply(pieces=[row, fault])]
    with serving(lambda request, number: answers[number]) as server:
        log = Kritai(server.url).log
        assert list(log.export("a", "groups")) == [{"id": "x"}]
        for code in ("connection_lost", "store_unavailable"):
            with pytest.raises(Unavailable, match=code):
                list(log.export("a", "groups"))


def test_a_rescoring_gives_every_group_and_its_summary_or_an_error() -> None:
    group = {"type": "group", "group_id": "x.0", "step": 3, "rewards": [1.0, None], "old": [0.5, 0.5]}
    end = {"type": "end", "groups": 1, "best_changed_share": 0.0}
    needs = [{"path": "spec.signals.quality", "message": "another seed"}]
    answers = [
        Reply(pieces=[line(group), line(end)]),
        Reply(pieces=[line(group)]),
        problem(422, "needs_judging", errors=needs),
    ]
    with serving(lambda request, number: answers[number]) as server:
        log = Kritai(server.url).log
        assert list(log.rescore("a", "mine", from_step=3, owner="b")) == [group, end]
        with pytest.raises(Unavailable, match="connection_lost"):
            list(log.rescore("a", {"reward": "top1"}))
        with pytest.raises(InvalidRequest, match="needs_judging") as refused:
            list(log.rescore("a", "mine"))
        assert refused.value.errors[0].path == "spec.signals.quality"
    assert server.received[0].path == "/v1/runs/a/rescore?owner=b"
    assert server.received[0].json == {"spec": "mine", "from_step": 3, "to_step": None}


def test_any_other_route_has_the_same_retries() -> None:
    answers = [problem(429, "overloaded", retryable=True), Reply(body=0.25)]
    with serving(lambda request, number: answers[number]) as server:
        assert Kritai(server.url, retry=QUICK).call("POST", "/slime/reward", {"prompt": "p"}) == 0.25
    assert [request.path for request in server.received] == ["/slime/reward"] * 2


class Terminal(io.StringIO):
    def __init__(self) -> None:
        super().__init__()
        self.drawn = asyncio.Event()

    def isatty(self) -> bool:
        return True

    def flush(self) -> None:
        self.drawn.set()


def test_a_long_batch_shows_one_line_on_a_terminal_and_wipes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)

    async def wait() -> None:
        async with ProgressBar(4, None, after_s=0) as bar:
            bar.add(3)
            await asyncio.wait_for(terminal.drawn.wait(), 10)

    asyncio.run(wait())
    assert terminal.getvalue() == f"\rkritai [{'#' * 18}{'.' * 6}] 3/4 groups, 0 s\r\x1b[K"


def test_nothing_is_drawn_where_stderr_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = io.StringIO()
    monkeypatch.setattr(sys, "stderr", plain)
    monkeypatch.setattr(ProgressBar.__init__, "__defaults__", (0.0,))
    with serving(rewards_with_pause) as server:
        Kritai(server.url, limits=Limits(parts=1)).rewards(numbered(2))
    assert plain.getvalue() == ""


def rewards_with_pause(request: Received, number: int) -> Reply:
    threading.Event().wait(0.02)
    return rewards_reply(request)
