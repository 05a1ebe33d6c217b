"""Single samples gathered into groups inside one process."""

from __future__ import annotations

import resource
import threading

import pytest
from fake_server import FakeServer, problem, serving

from kritai import Kritai, NoScore, Unauthorized
from kritai.gather import Gather, connections, score_or, shared_client


def test_a_group_that_does_not_fill_is_judged_when_the_window_has_passed(server: FakeServer) -> None:
    gather = Gather(shared_client(), group_size=8, window_s=0.05)
    answers = [gather.submit("p", text) for text in ("1", "2")]
    assert [answer.result(10)["reward"] for answer in answers] == [1.0, 2.0]
    assert len(server.received) == 1


def test_prompts_do_not_wait_for_each_other_and_threads_may_ask(server: FakeServer) -> None:
    gather = Gather(shared_client(), group_size=2, window_s=60)
    results: dict[str, float | None] = {}

    def ask(text: str) -> None:
        results[text] = gather.submit(f"p{int(text) % 20}", text).result(10)["reward"]

    threads = [threading.Thread(target=ask, args=(str(n),)) for n in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {str(n): float(n) for n in range(40)}
    assert len(server.received) == 20


def lines_of(caplog: pytest.LogCaptureFixture, least: int) -> list[str]:
    while len(lines := [record.getMessage() for record in caplog.records if "waiting" in record.getMessage()]) < least:
        threading.Event().wait(0.001)
    return lines


def test_a_group_that_lacks_a_sample_says_so(server: FakeServer, caplog: pytest.LogCaptureFixture) -> None:
    gather = Gather(shared_client(), group_size=4, window_s=60, notice_s=0.02)
    answers = [gather.submit("p", text) for text in ("1", "2", "3")]
    first, second, *_ = lines_of(caplog, 2)
    assert first.startswith("3 of 4 samples of a prompt, waiting (prompts waiting: 1; no sample for 0.02 s")
    assert "no sample for 0.04 s" in second
    answers.append(gather.submit("p", "4"))
    assert [answer.result(10)["reward"] for answer in answers] == [1.0, 2.0, 3.0, 4.0]


def test_nothing_is_left_to_say_of_a_group_that_is_whole(server: FakeServer) -> None:
    gather = Gather(shared_client(), group_size=2, window_s=60)
    for answer in [gather.submit("p", text) for text in ("1", "2")]:
        answer.result(10)
    assert gather._notice is None


def test_a_sample_whose_asker_left_still_counts_for_the_others(server: FakeServer) -> None:
    gather = Gather(shared_client(), group_size=2, window_s=60)
    left = gather.submit("p", "1")
    while not left.running() and not gather._rooms:
        threading.Event().wait(0.001)
    left.cancel()
    assert gather.submit("p", "2").result(10)["reward"] == 2.0
    assert len(server.received[0].json["groups"][0]["rollouts"]) == 2


def test_a_failed_group_fails_each_of_its_samples() -> None:
    with serving(lambda request, number: problem(401, "unauthorized")) as failing:
        gather = Gather(Kritai(failing.url), group_size=2)
        answers = [gather.submit("p", text) for text in ("1", "2")]
        for answer in answers:
            with pytest.raises(Unauthorized):
                answer.result(10)


def test_samples_that_no_server_could_score_have_no_reward_and_get_the_declared_fallback() -> None:
    with serving(lambda request, number: problem(503, "not_ready", retryable=True)) as down:
        # Time for one reply at least, whatever else the machine does.
        gather = Gather(Kritai(down.url), group_size=2, timeout_s=3)
        answers = [gather.submit("p", text) for text in ("1", "2")]
        for result in [answer.result(60) for answer in answers]:
            assert (result["reward"], result["error"]) == (None, "not_ready")
            assert score_or(-1.0, result) == -1.0
            with pytest.raises(NoScore, match="not_ready"):
                score_or(None, result)


@pytest.mark.parametrize(
    ("files", "taken"), [(1024, 256), (8000, 2000), (1_048_576, 4096), (resource.RLIM_INFINITY, 4096), (256, 256)]
)
def test_as_many_samples_may_wait_on_the_server_as_the_process_has_files_for(
    monkeypatch: pytest.MonkeyPatch, files: int, taken: int
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (files, files))
    assert connections() == taken
