"""Facts of a problem from a trainer's own columns or row, as each shim passes them on, against the real
stack: facts that a spec needs are found, and no others are sent."""

from __future__ import annotations

import asyncio
import sys
import types
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fake_server import FakeServer, sent
from test_stated_facts import CASES, DOUBLE, SPECS, WRONG, Array

from kritai import InvalidRequest, Kritai
from kritai import stated_facts as module
from kritai.gather import forget_shared, shared_gather
from kritai.shims import verifiers_rubric, verl_gathered, verl_reward
from kritai.shims.trl_reward import kritai_reward
from kritai.stated_facts import Stated

PROMPT = "Print n doubled.\n\nSample Input 1\n```\n4\n```\nSample Output 1\n```\n8\n```"
CHAT = [{"role": "user", "content": PROMPT}]
Values = list[float | None]


class Costly:
    """A column's value that must not be read: an image, a tensor."""

    def tolist(self) -> object:
        raise AssertionError("read, though no spec needs it")


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    module._needed.clear()
    module._asked.clear()
    forget_shared()
    yield
    forget_shared()


@pytest.fixture
def stored(url: str, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setenv("KRITAI_BASE_URL", url)
    with Kritai(url) as client:
        for name, spec in SPECS.items():
            client.put_spec(name, spec)  # type: ignore[arg-type]
    return monkeypatch


Rows = list[dict[str, Any]]
"""One a sample: `truth` and whatever else the dataset has of it."""


def verl(spec: str, texts: list[str], rows: Rows) -> Values:
    """Each sample with its own numbers beside its row, as verl's reward loop writes them."""

    async def scored() -> Values:
        given: Any = {"data_source": "d", "group_size": len(texts), "spec": spec}
        calls = (
            verl_reward.compute_score(solution_str=text, **given, **info) for text, info in infos(texts, rows, Costly())
        )
        return [result["score"] for result in await asyncio.gather(*calls)]

    return asyncio.run(scored())


def infos(texts: list[str], rows: Rows, costly: object = None) -> list[tuple[str, dict[str, Any]]]:
    told = []
    for at, (text, row) in enumerate(zip(texts, rows, strict=True)):
        extra = {**row, "question": PROMPT, "num_turns": at, "rollout_reward_scores": {"own": at}, "picture": costly}
        truth = extra.pop("truth", None)
        told.append((text, {"ground_truth": truth, "extra_info": extra}))
    return told


def verl_on_the_server(spec: str, texts: list[str], rows: Rows) -> Values:
    async def scored() -> Values:
        given: Any = {"data_source": "d", "group_size": len(texts), "spec": spec, "timeout_s": 60}
        calls = (verl_gathered.compute_score(solution_str=text, **given, **info) for text, info in infos(texts, rows))
        return [result["score"] for result in await asyncio.gather(*calls)]

    return asyncio.run(scored())


def verl_batch(spec: str, texts: list[str], rows: Rows) -> Values:
    each = [info for _, info in infos(texts, rows, Costly())]
    truths, extra = [info["ground_truth"] for info in each], [info["extra_info"] for info in each]
    given: Any = {"solution_strs": texts, "ground_truths": truths, "extra_infos": extra, "spec": spec}
    return [result["score"] for result in verl_reward.compute_score_batch(data_sources=["d"] * len(texts), **given)]


def columns_of(rows: Rows, truth: str) -> dict[str, Any]:
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {truth if name == "truth" else name: [row.get(name) for row in rows] for name in names}


def trl(spec: str, texts: list[str], rows: Rows) -> Values:
    given = {
        "completion_ids": [[1]] * len(texts),
        "environments": [Costly()] * len(texts),
        "log_metric": lambda *_: None,
    }
    given |= {"picture": [Costly()] * len(texts), **columns_of(rows, "solution")}
    reward = kritai_reward(spec=spec)
    result: Values = asyncio.run(reward(prompts=[CHAT] * len(texts), completions=texts, **given))
    return result


def ms_swift(spec: str, texts: list[str], rows: Rows) -> Values:
    library: Any = types.ModuleType("swift.rewards")
    library.AsyncORM, library.orms = object, {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KRITAI_SPEC", spec)
        patch.setitem(sys.modules, "swift", types.ModuleType("swift"))
        patch.setitem(sys.modules, "swift.rewards", library)
        patch.delitem(sys.modules, "kritai.shims.ms_swift_plugin", raising=False)
        import kritai.shims.ms_swift_plugin  # noqa: F401

        chats = [[*CHAT, {"role": "assistant", "content": text}] for text in texts]
        given = {"messages": chats, "request_id": list(map(str, range(len(texts)))), **columns_of(rows, "solution")}
        result: Values = asyncio.run(library.orms["kritai"]()(texts, **given))
        sys.modules.pop("kritai.shims.ms_swift_plugin")
    return result


def skyrl(spec: str, texts: list[str], rows: Rows) -> Values:
    base: Any = types.ModuleType("skyrl_gym.envs.base_text_env")
    base.BaseTextEnv, base.BaseTextEnvStepOutput = type("BaseTextEnv", (), {}), dict
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KRITAI_SPEC", spec)
        patch.setenv("KRITAI_GROUP_SIZE", str(len(texts)))
        for name in ("skyrl_gym", "skyrl_gym.envs"):
            patch.setitem(sys.modules, name, types.ModuleType(name))
        patch.setitem(sys.modules, "skyrl_gym.envs.base_text_env", base)
        patch.delitem(sys.modules, "kritai.shims.skyrl_env", raising=False)
        from kritai.shims.skyrl_env import KritaiEnv

        def step(text: str, row: dict[str, Any]) -> float:
            rest = {name: value for name, value in row.items() if name != "truth"}
            spec_of_row = {"method": "rule", **({"ground_truth": row["truth"]} if "truth" in row else {})}
            env = KritaiEnv(extras={"reward_spec": spec_of_row, "extra_info": rest, "picture": Costly()})
            env.init(CHAT)
            return float(env.step(text)["reward"])

        with ThreadPoolExecutor(len(texts)) as threads:
            result: Values = list(threads.map(step, texts, rows))
        sys.modules.pop("kritai.shims.skyrl_env")
    return result


TOOLS = [verl, verl_on_the_server, verl_batch, trl, ms_swift, skyrl]


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    ("spec", "row", "texts", "wanted"),
    [
        ("lab-reference", {"truth": "6"}, ["It is\n6", "It is\n7"], [1, 0]),
        ("lab-reference", {"truth": Array([5, 6])}, ["It is\n6", "It is\n7"], [1, 0]),
        ("lab-reference", {"truth": "B", "answer_type": "choice"}, ["It is\nB", "It is\nC"], [1, 0]),
        ("lab-sandbox", {"unit_tests": CASES, "language": "python"}, [DOUBLE, WRONG], [1, 0]),
        (
            "default",
            {"truth": 1, "reference": ["x" * 70_000], "test_cases": 1, "rubric": "none"},
            [DOUBLE, WRONG],
            [1, 0],
        ),
    ],
)
def test_a_trainers_own_fields_state_what_the_spec_needs(
    stored: pytest.MonkeyPatch, tool: Any, spec: str, row: dict[str, Any], texts: list[str], wanted: Values
) -> None:
    assert tool(spec, texts, [row] * len(texts)) == wanted


@pytest.mark.parametrize("tool", TOOLS)
def test_a_row_that_does_not_state_what_the_spec_needs_is_refused(stored: pytest.MonkeyPatch, tool: Any) -> None:
    with pytest.raises(InvalidRequest, match="facts_required"):
        tool("lab-sandbox", [DOUBLE, WRONG], [{"truth": "6"}] * 2)


@pytest.mark.parametrize("tool", [verl_batch, trl, ms_swift])
def test_rows_of_one_prompt_with_other_answers_are_other_problems(stored: pytest.MonkeyPatch, tool: Any) -> None:
    rows = [{"truth": "6"}, {"truth": "7"}, {"truth": "7"}]
    assert tool("lab-reference", ["6", "6", "7"], rows) == [1, 0, 1]


def test_verifiers_answers_and_a_tasks_fields_are_read(stored: pytest.MonkeyPatch) -> None:
    spec: Any = {"spec": "lab-reference"}
    recorded: list[float] = []
    traces = [
        types.SimpleNamespace(last_reply=text, record_reward=lambda name, value: recorded.append(value))
        for text in ("6", "7")
    ]
    task = types.SimpleNamespace(data=types.SimpleNamespace(prompt=PROMPT, answer=6))
    asyncio.run(verifiers_rubric.score_episode(task, types.SimpleNamespace(traces=traces), **spec))
    assert recorded == [1, 0]


# --- what is sent


def test_of_a_row_nothing_is_sent_that_the_spec_does_not_need(server: FakeServer) -> None:
    rows = [{"truth": "6", "reference": "r", "rubric": "r"}] * 2
    for tool in (verl, verl_batch, trl, ms_swift, skyrl):
        module._needed.clear()
        tool("default", ["1", "2"], rows)
        assert sent(server, len(server.received) - 1)["groups"][0].keys() <= {"group_id", "prompt", "rollouts"}


def test_columns_of_the_trainers_own_or_of_another_length_are_no_part_of_a_row() -> None:
    columns = {"answer": ["b"], "completion_ids": [[1]], "short": [], "metadata": [{"language": "python"}]}
    [stated] = Stated.of_columns(columns, 1)
    assert stated.row == {"answer": "b", "metadata": {"language": "python"}}
    assert (stated.of("reference"), stated.of("language")) == ("b", "python")


def test_a_group_whose_samples_state_different_facts_is_refused_before_it_is_judged(stored: pytest.MonkeyPatch) -> None:
    other = {**CASES, "outputs": ["1\n", "2\n"]}
    rows = [{"unit_tests": cases, "language": "python"} for cases in (CASES, other)]
    with pytest.raises(InvalidRequest, match="facts_disagree"):
        verl("lab-sandbox", [DOUBLE, WRONG], rows)


def test_samples_gathered_in_a_process_are_told_apart_by_their_ground_truth(stored: pytest.MonkeyPatch) -> None:
    gather = shared_gather(1, spec="lab-reference")
    asked = [gather.submit(PROMPT, "6", stated=Stated.of_row({"ground_truth": truth})) for truth in ("6", "7")]
    assert [one.result()["reward"] for one in asked] == [1, 0]


# --- trl's label_column


@pytest.mark.parametrize("others", [{}, {"reference": ["7", "7"], "answer": ["7", "7"]}])
def test_trls_label_column_holds_the_right_answer(stored: pytest.MonkeyPatch, others: dict[str, Any]) -> None:
    reward = kritai_reward(spec="lab-reference", label_column="final")
    given = {"prompts": ["p", "p"], "completions": ["6", "7"], "final": [6, 6], **others}
    assert asyncio.run(reward(**given)) == [1, 0]


def test_a_label_column_that_is_not_there_is_named_with_those_that_are(server: FakeServer) -> None:
    reward = kritai_reward(server.url, label_column="final")
    with pytest.raises(ValueError, match="label_column: no column 'final'; there are answer"):
        asyncio.run(reward(prompts=["p"], completions=["1"], answer=["6"], completion_ids=[[1]]))


def test_a_right_answer_that_no_column_holds_is_refused_with_the_names_that_are_read(
    stored: pytest.MonkeyPatch,
) -> None:
    reward = kritai_reward(spec="lab-reference")
    said = "looked for ground_truth, .*target, and there are: final. .*label_column"
    with pytest.raises(InvalidRequest, match=said):
        asyncio.run(reward(prompts=["p", "p"], completions=["6", "7"], final=[6, 6], completion_ids=[[1], [1]]))
