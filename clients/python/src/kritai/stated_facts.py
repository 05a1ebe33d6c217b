"""Reads the facts that a spec needs of a group from a dataset's label or row, by the rules of the
server's routes for one sample (docs/integrations/gathering.md)."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, TypeVar, cast

from kritai.async_client import AsyncKritai
from kritai.columns import groups_of
from kritai.content import refuse, row_faults
from kritai.errors import FieldFault, InvalidRequest, Problem
from kritai.reply_types import Rewards
from kritai.request_types import Group, Rollout

T = TypeVar("T")

DEPTH_MAX = 128
"""The server's `label_depth_max`."""

TRUTHS = ("ground_truth", "expected_answer", "answer", "reference", "solution", "label", "target")
"""Fields of a row that hold the right answer, in order of precedence."""

NESTED = ("verifier_metadata", "metadata", "extra_info", "reward_model", "reward_spec", "kwargs", "verification_info")
"""Fields of a row that hold further fields of it."""

FUNCTION_NAMES = ("fn_name", "func_name", "function_name", "entry_point")
"""Fields of a row that name the function to test."""

TESTS = (
    *("test_cases", "unit_tests", "ground_truth", "test_list", "assert_case", "tests", "input_output"),
    "official_tests",
)
"""Fields of a row that hold tests."""

OF_TESTS = (
    *("inputs", "outputs", "input", "output", "test", "entry_point", "test_imports", "test_setup_code"),
    "testtype",
)
"""Fields of a row that hold parts of tests, or define how they are read."""

OWN = frozenset(
    (
        "completion_ids",
        "environments",
        "num_turns",
        "request_id",
        "response_loss_mask",
        "response_token_ids",
        "rollout_infos",
        "rollout_reward_scores",
    )
)
"""Fields that trainers put next to a dataset's columns: not part of a row."""

_ASSERT = re.compile(r"(?:^|[\n;:{)])[ \t]*(?:assert|raise)\b|\bassert\w*[.(]|\bthrow (?:new\b|\w*Error\b)")
"""Matches code that can fail, not a sentence."""

_MISSING = re.compile(r"^groups\[\d+\]\.(rollouts\[\d+\]\.)?(\w+)")

Needed: TypeAlias = frozenset[tuple[bool, str]]
"""Facts that a spec was seen to need, each as (whether it is a rollout's, its name)."""

_needed: dict[str, Needed] = {}
"""Needed facts by a stored spec's name, or a given spec's JSON."""

_NEEDED_MAX = 256

_asked: set[str] = set()
"""Specs whose server-gathered samples were refused without their facts."""


@dataclass(frozen=True)
class Stated:
    """The facts stated of one sample besides its prompt and its answer."""

    truth: object = None
    """Its label or ground truth, as received; None: the row's field of such a name."""
    row: Mapping[str, Any] = field(default_factory=dict)
    """The dataset's row. Only the needed fields are read."""
    problem: object = None
    """The value (as JSON) that makes equal prompts different problems, whatever the spec needs."""

    @classmethod
    def of_label(cls, label: object) -> Stated:
        """From a label alone, which distinguishes problems."""
        return cls(label, {"label": label}, plain(label))

    @classmethod
    def of_row(cls, row: object) -> Stated:
        """From a dataset's row, whose right answer distinguishes problems; empty for anything that is
        not a row."""
        known: Mapping[str, Any] = row if isinstance(row, Mapping) else {}
        told = ("data_source", "reward_model", "reward_spec", *TRUTHS)
        return cls(None, known, {name: plain(known[name]) for name in told if name in known})

    @classmethod
    def of_columns(cls, columns: Mapping[str, Any], rows: int, label_column: str | None = None) -> list[Stated]:
        """From a trainer's columns, a list each; `label_column` holds the right answer, by default the
        first of `TRUTHS` that is there. Raises ValueError where that column is missing."""
        dataset = {
            name: column
            for name, column in columns.items()
            if name not in OWN and isinstance(column, (list, tuple)) and len(column) == rows
        }
        if label_column is not None:
            if label_column not in dataset:
                raise ValueError(f"label_column: no column {label_column!r}; there are {', '.join(sorted(dataset))}")
            # The label column takes precedence over `reference`, else the first of all.
            dataset = {name: dataset[name] for name in dataset if name == label_column or name != "reference"}
        each = [{name: column[at] for name, column in dataset.items()} for at in range(rows)]
        return [cls(None if label_column is None else row.get(label_column), row) for row in each]

    def of(self, name: str) -> Any:
        """A fact, as JSON; None where it is not stated."""
        places = self._places()
        if name == "reference":
            told = _answer_in(_named(places, "reference")), _answer_in(plain(self.truth))
            return next((answer for answer in (*told, *map(_answer_of, places)) if answer is not None), None)
        if name == "test_cases":
            return _tests_in(places, plain(self.truth))
        return _named(places, name)

    def facts(self, needed: Needed) -> tuple[dict[str, Any], dict[str, Any]]:
        """The needed facts that are stated: of the group, and of the rollout."""
        told: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
        for of_rollout, name in sorted(needed):
            if (value := self.of(name)) is not None:
                told[of_rollout][name] = value
        if "reference" in told[0] and (kind := self.of("answer_type")) is not None:
            told[0]["answer_type"] = kind
        return told

    def unshown(self, place: str) -> Iterator[FieldFault]:
        """Content of its row that no verifier is shown: images, calls."""
        yield from row_faults(self.row, place)
        for name in NESTED:
            if isinstance(held := self.row.get(name), Mapping):
                yield from row_faults(held, f"{place}.{name}")

    def _places(self) -> list[Mapping[str, Any]]:
        held = [self.row, *(_opened(self.row.get(name)) for name in NESTED), _opened(self.truth)]
        return [place for place in held if isinstance(place, Mapping)]


def _named(places: Sequence[Mapping[str, Any]], name: str) -> Any:
    return next((value for place in places if (value := plain(place.get(name))) is not None), None)


def _answer_of(place: Mapping[str, Any]) -> str | list[str] | None:
    return _answer_in({name: plain(place[name]) for name in TRUTHS if name in place})


def plain(value: Any, depth: int = DEPTH_MAX) -> Any:
    """A label as JSON holds it, numpy's numbers and arrays too. Values that JSON cannot hold, or that
    nest deeper than the server takes, are None."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(name): plain(each, depth - 1) for name, each in value.items()} if depth > 0 else None
    if isinstance(value, (list, tuple)):
        return [plain(each, depth - 1) for each in value] if depth > 0 else None
    return plain(value.tolist(), depth) if hasattr(value, "tolist") else None


@dataclass(frozen=True)
class Scored:
    """A call's rewards, its groups as they were sent, and each row's (group, rollout)."""

    result: Rewards
    groups: list[Group]
    places: list[tuple[int, int]]


async def rewards_by_rows(
    client: AsyncKritai,
    prompts: Sequence[object],
    rollouts: Sequence[Rollout],
    stated: Sequence[Stated],
    language: str | None = None,
    one_group: bool = False,
    **options: Any,
) -> Scored:
    """The rewards of rows, each group with the facts that its rows state and the spec needs; no other
    facts are sent, so that none can do harm. Rows of one prompt with other such facts of the group
    are other groups. Options: those of `rewards`. Raises KritaiError, `facts_required` where a row
    does not state what the spec needs, with `one_group` `facts_disagree` where the rows make several groups.

    The needed facts are learnt from the server's refusal, which costs nothing, and are kept by the
    spec's name or its JSON.
    """
    refuse(fault for at, each in enumerate(stated) for fault in each.unshown(f"rows[{at}]"))
    spec = options.get("spec", "default")
    known_as = spec if isinstance(spec, str) else json.dumps(plain(spec), sort_keys=True)
    needed = _needed.get(known_as, frozenset())
    while True:
        told = [each.facts(needed) for each in stated]
        given: Any = [{**own, **rollout} for rollout, (_, own) in zip(rollouts, told, strict=True)]
        problems = [[each.problem, facts] for each, (facts, _) in zip(stated, told, strict=True)]
        groups, places = groups_of(prompts, given, language, problems)
        for (at, _), (facts, _) in zip(places, told, strict=True):
            groups[at] = cast("Group", {**facts, **groups[at]})
        if one_group and len(groups) > 1:
            names = ", ".join(sorted({name for facts, _ in told for name in facts}))
            raise InvalidRequest(Problem("facts_disagree", f"the samples of a group state different {names}"))
        try:
            return Scored(await client.rewards(groups, **options), groups, places)
        except InvalidRequest as refused:
            more = needed | _named_by(refused)
            if more == needed:
                raise
            needed = more
            if len(_needed) >= _NEEDED_MAX:
                _needed.clear()
            _needed[known_as] = needed


def with_fields(refused: InvalidRequest, stated: Sequence[Stated], kind: str, remedy: str) -> InvalidRequest:
    """The error for a right answer that no column (or field, by `kind`) holds, with those that were looked for,
    those that there are, and the remedy."""
    lacks = refused.code == "facts_required" and any(fault.path.endswith(".reference") for fault in refused.errors)
    if not lacks or any(each.of("reference") is not None for each in stated):
        return refused
    names = {name for each in stated for name in each.row} - {"trainer_state"}
    empty = ", ".join(sorted(names & {*TRUTHS}))
    there = (", ".join(sorted(names)) or "none") + (f" ({empty} holds no text or number)" if empty else "")
    said = f"No {kind} holds the right answer: looked for {', '.join(TRUTHS)}, and there are: {there}."
    return InvalidRequest(replace(refused.problem, detail=f"{refused.problem.detail} {said} {remedy}"))


def _named_by(refused: InvalidRequest) -> Needed:
    """The facts that a refusal says are missing."""
    if refused.code != "facts_required":
        return frozenset()
    paths = [_MISSING.match(fault.path) for fault in refused.errors]
    return frozenset((path[1] is not None, path[2]) for path in paths if path is not None)


async def stated_if_asked(spec: str, send: Callable[[bool], Awaitable[T]]) -> T:
    """Sends a sample's call to the server's gathering: first without the facts of its row, and with
    them once the server says that the spec needs facts, from then on at once."""
    if spec not in _asked:
        try:
            return await send(False)
        except InvalidRequest as refused:
            if refused.code != "facts_required":
                raise
            _asked.add(spec)
    return await send(True)


def _opened(value: Any) -> Any:
    """A text that is a JSON object or list, parsed; any other value as it is."""
    if not isinstance(value, str) or re.match(r"\s*[\[{]", value) is None:
        return value
    try:
        return plain(json.loads(value))
    except (ValueError, RecursionError):
        return value


def _answer_in(value: Any) -> str | list[str] | None:
    """A right answer, or several, as texts."""
    if isinstance(value, str):
        inner = _opened(value)
        answer = _answer_in(inner) if isinstance(inner, dict) else None
        return answer if answer is not None else value if value.strip() else None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return str(int(value)) if value == int(value) else str(value)
    if isinstance(value, list):
        answers = [None if isinstance(each, (dict, list)) else _answer_in(each) for each in value]
        texts = [answer for answer in answers if isinstance(answer, str)]
        return texts if texts and len(texts) == len(value) else None
    if not isinstance(value, dict):
        return None
    stated = (_answer_in(value.get(name)) for name in TRUTHS if not isinstance(value.get(name), dict))
    return next((answer for answer in stated if answer is not None), None)


def _tests_in(places: Sequence[Mapping[str, Any]], truth: Any) -> Any:
    """A row's tests in whatever form, which the server reads, with the function that another field
    names. As JSON text where a number in them would be rounded by JSON readers."""
    named = [_named(places, "test_cases"), _named(places, "unit_tests"), truth, _named(places, "ground_truth")]
    rows = [{name: plain(place.get(name)) for name in (*TESTS, *OF_TESTS) if name in place} for place in places]
    held = next((each for each in (*named, *rows) if _holds_tests(each)), None)
    name = next((found for found in map(_function_in, places) if found is not None), None)
    cases = held if held is None or name is None else {"test_cases": held, "fn_name": name}
    return json.dumps(cases) if _rounds(cases) else cases


def _function_in(value: Any) -> str | None:
    row = _opened(value)
    if not isinstance(row, Mapping):
        return None
    named = (row.get(name) for name in FUNCTION_NAMES)
    found = next((name for name in named if isinstance(name, str) and name), None)
    return found if found is not None or "metadata" not in row else _function_in(row["metadata"])


def _holds_tests(value: Any) -> bool:
    held = _opened(value)
    if isinstance(held, list):
        return len(held) > 0
    if isinstance(held, str):
        return _ASSERT.search(held) is not None
    if not isinstance(held, dict):
        return False
    ins, outs = (_opened(held.get(many, held.get(one))) for many, one in (("inputs", "input"), ("outputs", "output")))
    if isinstance(ins, list) and isinstance(outs, list) and ins and len(ins) == len(outs):
        return True
    code, function = held.get("test"), held.get("entry_point")
    if isinstance(function, str) and isinstance(code, str) and _holds_tests(code):
        return True
    return any(_holds_tests(held.get(name)) for name in TESTS)


def _rounds(value: Any) -> bool:
    if isinstance(value, (list, dict)):
        return any(map(_rounds, value.values() if isinstance(value, dict) else value))
    return isinstance(value, float) or (isinstance(value, int) and abs(value) > 2**53)
