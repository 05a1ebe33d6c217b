"""The command `kritai` against the real stack, and against servers that cannot be reached or refuse."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from fake_server import Received, Reply, serving

from kritai.command import main


def test_check_says_what_answers_what_the_spec_is_and_what_a_step_costs(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps({"judge": {"schedule": "circular", "samples": 2}}))
    assert main(["check", "--url", url, "--spec", str(spec), "--groups", "10", "--rollouts", "4"]) == 0
    lines = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines() if line[0] != " ")
    assert lines["service"] == "database ok; verifier ok"
    assert lines["key"] == "may read the run log"
    assert lines["spec"].endswith("rewards in [-1, 1]")
    # A ring of four has four pairs, each asked twice.
    assert lines["step"].startswith("10 groups of 4: 80 generations at first, ")


def test_a_field_that_a_spec_does_not_have_is_named(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps({"judge": {"shedule": "circular"}}))
    assert main(["check", "--url", url, "--spec", str(spec)]) == 1
    out, err = capsys.readouterr()
    assert out.splitlines()[-1].split() == ["spec", "FAILED"]
    assert "shedule" in err


def test_demo_and_runs_show_what_was_scored(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--url", url]) == 0
    assert [line.split()[-1] for line in capsys.readouterr().out.splitlines()] == ["1", "0.5", "-1"]
    # What is queued is in the log within moments.
    until = time.monotonic() + 300
    while main(["runs", "kritai-demo", "--url", url]) != 0 and time.monotonic() < until:
        time.sleep(0.02)
    assert capsys.readouterr().out.splitlines()[-1] == "no alarm is on"
    assert main(["runs", "--url", url, "--json"]) == 0
    assert "kritai-demo" in [json.loads(line)["run_id"] for line in capsys.readouterr().out.splitlines()]


def test_who_cannot_be_reached_or_was_not_understood_is_said_in_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["check", "--url", "somewhere"]) == 2
    with serving(lambda request, number: None) as gone:
        pass
    assert main(["check", "--url", gone.url]) == 1
    assert "connection_failed" in capsys.readouterr().err
    for wrong in (["--rollouts", "0"], ["--spec", str(tmp_path / "none.json")]):
        with pytest.raises(SystemExit) as ended:
            main(["check", "--url", gone.url, *wrong])
        assert ended.value.code == 2


@pytest.mark.parametrize(
    ("refusal", "status", "said"),
    [
        ((403, "forbidden_scope"), 0, "key       may not read the run log"),
        ((401, "unauthorized"), 1, "key       FAILED"),
    ],
)
def test_a_key_that_may_only_score_is_told_so_and_a_wrong_one_ends_the_check(
    refusal: tuple[int, str], status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def answer(request: Received, number: int) -> Reply:
        if request.path == "/readyz":
            return Reply(body={"ready": True, "checks": {"verifier": {"ok": True, "latency_ms": 1}}})
        if request.path.startswith("/v1/runs"):
            refused, code = refusal
            return Reply(status=refused, body={"code": code, "detail": "No.", "status": refused, "retryable": False})
        if request.path.startswith("/v1/specs/check"):
            cost = {"generations": 28, "generations_max": 28, "completion_tokens_max": 28}
            step = {"groups": 64, "usd": 1.5}
            more = {"facts": ["reference"], "warnings": ["flat: base"], "cost": cost, "step": step}
            return Reply(body={"spec_hash": f"sha256:{'0' * 64}", "reward_range": [0, 1], **more})
        return Reply(body={"spec": {}})

    with serving(answer) as server:
        assert main(["check", "--url", server.url]) == status
    lines = capsys.readouterr().out.splitlines()
    assert said in lines
    assert (lines[-1] == said) == (status == 1)
    assert lines[-1].endswith("; $1.50 by the server's prices") == (status == 0)
