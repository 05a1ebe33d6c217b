"""The facts that a label states, as slime's shim hands them on: by itself, and against the real stack
in both of its modes, which must come to the same."""

from __future__ import annotations

import asyncio
import types
from collections.abc import Iterator
from typing import Any

import pytest
from fake_server import FakeServer, Received, Reply, problem, rewards, serving

from kritai import InvalidRequest, Kritai, KritaiWarning
from kritai import stated_facts as module
from kritai.gather import forget_shared
from kritai.shims import slime_reward, verl_reward
from kritai.shims.trl_reward import kritai_reward
from kritai.stated_facts import Stated, plain

REFERENCE = {"signals": {"right": {"kind": "reference", "answer": "last_line"}}}
SANDBOX = {"signals": {"tests": {"kind": "tests", "source": "sandbox"}}}
SPECS = {"lab-reference": REFERENCE, "lab-sandbox": SANDBOX}

DOUBLE = "```python\nprint(int(input()) * 2)\n```"
WRONG = "```python\nprint(int(input()) - 2)\n```"
CASES = {"inputs": ["4\n", "6\n"], "outputs": ["8\n", "12\n"]}


class Array:
    """As numpy has them."""

    def __init__(self, value: object) -> None:
        self._value = value

    def tolist(self) -> object:
        return self._value


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    module._needed.clear()
    module._asked.clear()
    forget_shared()
    yield
    forget_shared()


def samples(texts: list[str], *labels: object) -> list[Any]:
    """With one label for all, or one each."""
    each = labels if len(labels) == len(texts) else [labels[0]] * len(texts)
    return [
        types.SimpleNamespace(prompt="p", response=text, response_length=len(text), label=label)
        for text, label in zip(texts, each, strict=True)
    ]


def together(group: list[Any]) -> list[float]:
    scored: list[float] = asyncio.run(slime_reward.reward(None, group))
    return scored


def one_by_one(group: list[Any]) -> list[float]:
    arguments = types.SimpleNamespace(n_samples_per_prompt=len(group))

    async def all_of_them() -> list[float]:
        return list(await asyncio.gather(*(slime_reward.reward(arguments, sample) for sample in group)))

    return asyncio.run(all_of_them())


# --- the real stack


@pytest.fixture
def labelled(url: str, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setenv("KRITAI_BASE_URL", url)
    with Kritai(url) as client:
        for name, spec in SPECS.items():
            client.put_spec(name, spec)  # type: ignore[arg-type]
    return monkeypatch


@pytest.mark.parametrize("mode", [together, one_by_one])
@pytest.mark.parametrize(
    ("spec", "label", "texts", "wanted"),
    [
        ("lab-reference", "6", ["It is\n6", "It is\n7"], [1, 0]),
        ("lab-reference", 6, ["It is\n6", "It is\n7"], [1, 0]),
        ("lab-reference", 6.0, ["It is\n6", "It is\n7"], [1, 0]),
        ("lab-reference", ["5", "6"], ["It is\n6", "It is\n7"], [1, 0]),
        ("lab-reference", Array(["5", "6"]), ["It is\n6", "It is\n7"], [1, 0]),
        ("lab-reference", '{"answer": ["6"], "wanted": 1}', ["It is\n6", "It is\n7"], [1, 0]),
        ("lab-reference", {"solution": "B", "answer_type": "choice"}, ["It is\nB", "It is\nC"], [1, 0]),
        ("lab-sandbox", {"unit_tests": CASES, "language": "python"}, [DOUBLE, WRONG], [1, 0]),
        ("default", {"reference": ["x" * 70_000], "test_cases": 1, "rubric": "none"}, [DOUBLE, WRONG], [1, 0]),
    ],
)
def test_a_label_states_the_same_of_a_group_and_of_a_sample_alone(
    labelled: pytest.MonkeyPatch, mode: Any, spec: str, label: object, texts: list[str], wanted: list[float]
) -> None:
    labelled.setenv("KRITAI_SPEC", spec)
    prompt = "Print n doubled.\n\nSample Input 1\n```\n4\n```\nSample Output 1\n```\n8\n```"
    group = samples(texts, label)
    for sample in group:
        sample.prompt = prompt
    assert mode(group) == wanted


@pytest.mark.parametrize("mode", [together, one_by_one])
@pytest.mark.parametrize("label", [None, "", {"other": "6"}])
def test_a_label_that_does_not_state_what_the_spec_needs_is_refused_or_gets_the_declared_fallback(
    labelled: pytest.MonkeyPatch, mode: Any, label: object
) -> None:
    labelled.setenv("KRITAI_SPEC", "lab-reference")
    with pytest.raises(InvalidRequest, match="facts_required"):
        mode(samples(["6", "7"], label))
    labelled.setenv("KRITAI_FALLBACK", "-1")
    assert mode(samples(["6", "7"], label)) == [-1, -1]


def test_samples_of_one_prompt_with_other_labels_are_other_problems(labelled: pytest.MonkeyPatch) -> None:
    labelled.setenv("KRITAI_SPEC", "lab-reference")
    group = samples(["6", "6", "7"], "6", "7", "7")
    assert together(group) == one_by_one(group) == [1, 0, 1]


def test_a_right_answer_that_the_rules_cannot_read_is_told_once_by_a_warning(labelled: pytest.MonkeyPatch) -> None:
    reward = kritai_reward(spec={"signals": {"right": {"kind": "reference"}}})
    rows = {"prompts": ["p", "p"], "completions": ["\\boxed{6}", "none"]}
    with pytest.warns(KritaiWarning, match=r"rules_undecided: the rules cannot read some right answers"):
        assert asyncio.run(reward(**rows, answer=["between five and seven"] * 2)) == [None, None]


def test_a_verl_row_without_a_right_answer_is_told_where_it_must_be(labelled: pytest.MonkeyPatch) -> None:
    asked = verl_reward.compute_score("d", "6", "", {"question": "q"}, group_size=1, spec="lab-reference")
    with pytest.raises(InvalidRequest, match=r"ground_truth holds no text or number.*reward_model\.ground_truth"):
        asyncio.run(asked)


# --- what is sent


def test_no_fact_is_sent_that_the_spec_did_not_ask_for(server: FakeServer) -> None:
    together(samples(["1", "2"], {"reference": "r", "rubric": "r"}))
    (group,) = server.received[0].json["groups"]
    assert group.keys() == {"group_id", "prompt", "rollouts"}


def test_what_a_spec_needs_is_learnt_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def strict(request: Received, number: int) -> Reply:
        for group in request.json["groups"]:
            lacking = [
                path
                for path in ("reference", "rollouts[0].tests")
                if path.split(".")[-1] not in {**group, **group["rollouts"][0]}
            ]
            if lacking:
                faults = [{"path": f"groups[0].{lacking[0]}", "message": "required"}]
                return problem(400, "facts_required", errors=faults)
        return rewards(request, number)

    with serving(strict) as server:
        monkeypatch.setenv("KRITAI_BASE_URL", server.url)
        label = {"answer": 6, "answer_type": "number", "tests": [{"status": "pass"}]}
        assert together(samples(["1", "2"], label)) == [1, 2]
        assert len(server.received) == 3
        assert together(samples(["3", "4"], label)) == [3, 4]
        assert len(server.received) == 4
        (group,) = server.received[3].json["groups"]
        assert (group["reference"], group["answer_type"]) == ("6", "number")
        assert [rollout["tests"] for rollout in group["rollouts"]] == [label["tests"]] * 2
        with pytest.raises(InvalidRequest, match="facts_required"):
            together(samples(["1", "2"], "no tests"))


def test_what_a_given_spec_needs_is_learnt_once_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def strict(request: Received, number: int) -> Reply:
        if "reference" in request.json["groups"][0]:
            return rewards(request, number)
        return problem(400, "facts_required", errors=[{"path": "groups[0].reference", "message": "required"}])

    with serving(strict) as server:
        reward = kritai_reward(server.url, spec=REFERENCE)
        for _ in range(3):
            asyncio.run(reward(prompts=["p", "p"], completions=["6", "7"], answer=["6", "6"]))
        assert len(server.received) == 4


# --- reading a label


@pytest.mark.parametrize(
    ("label", "answer"),
    [
        (True, "true"),
        (0.5, "0.5"),
        ("[1, 2]", "[1, 2]"),
        ("{not json", "{not json"),
        ('{"label": null}', '{"label": null}'),
        ({"reference": {"a": 1}, "target": "t"}, "t"),
        ({"answer": "a", "reference": "r"}, "r"),
        ([["a"]], None),
        ([], None),
        ("  ", None),
    ],
)
def test_the_right_answer_of_a_label(label: object, answer: object) -> None:
    assert Stated.of_label(label).of("reference") == answer


@pytest.mark.parametrize(
    ("label", "cases"),
    [
        (
            {"inputs": [[1]], "outputs": [2], "fn_name": "f"},
            {"fn_name": "f", "test_cases": {"inputs": [[1]], "outputs": [2], "fn_name": "f"}},
        ),
        ({"inputs": ["1"], "outputs": ["2"]}, {"inputs": ["1"], "outputs": ["2"]}),
        ({"inputs": [[0.5]], "outputs": [2], "fn_name": None}, '{"inputs": [[0.5]], "outputs": [2], "fn_name": null}'),
        ('["assert f(1) == 2"]', '["assert f(1) == 2"]'),
        ("assert f(1) == 2", "assert f(1) == 2"),
        ("I assert that it is 2.", None),
        (
            {"test": "def check(c):\n    assert c(1) == 2", "entry_point": "f"},
            {"test_cases": {"test": "def check(c):\n    assert c(1) == 2", "entry_point": "f"}, "fn_name": "f"},
        ),
        ({"inputs": ["1"], "outputs": []}, None),
        ('[{"input": "1", "output": "2"}]', '[{"input": "1", "output": "2"}]'),
        ({"test_cases": [{"assert": "f(1) == 2"}]}, [{"assert": "f(1) == 2"}]),
    ],
)
def test_the_test_cases_of_a_label(label: object, cases: object) -> None:
    assert Stated.of_label(label).of("test_cases") == cases


def test_what_json_cannot_hold_of_a_label_is_none() -> None:
    deep: Any = "end"
    for _ in range(129):
        deep = [deep]
    given = {"array": Array([1, float("nan")]), "object": object(), 3: (1,), "set": {1}}
    assert plain(given) == {"array": [1, None], "object": None, "3": [1], "set": None}
    assert plain(deep[0]) == deep[0]
    assert '"end"' not in str(plain(deep))
