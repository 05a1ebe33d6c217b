"""The options of the client's calls, by name and type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, TypedDict

from kritai.near_names import unknown_names
from kritai.request_types import AnySpec, GroupFacts, Overlong


class StepsQuery(TypedDict, total=False):
    """Which steps of a run: above `after`, from `from_step` up to `to_step`, the lowest `limit` of
    them; `owner` names whose run, `signals` asks for each signal's mean and missing values."""

    after: int | None
    signals: bool | None
    from_step: int | None
    to_step: int | None
    limit: int | None
    owner: str | None


class StreamOptions(TypedDict, total=False):
    """Options of `stream_rewards`; every one may be left out.

    spec: a stored spec's name, or an inline spec. Default "default".
    run_id, step: what the run log files the groups under.
    deadline_ms: the server's deadline of each request, 100..600000; what is not decided by then is
        None with the code `deadline`. Default 120000, and never more than 80 % of the time that the
        call has left.
    timeout_s: the whole call's deadline with all its requests and retries. Default: a minute more
        than the requests' own deadlines.
    drop_thinking: empty the think blocks before sending, tags kept. The verifier never reads them;
        only a spec with `extract: whole` or a regular expression over the thinking sees a
        difference.
    """

    spec: str | AnySpec
    run_id: str | None
    step: int | None
    deadline_ms: int
    timeout_s: float | None
    drop_thinking: bool


class RewardsOptions(StreamOptions, total=False):
    """Options of `rewards`; every one may be left out.

    on_failure: "raise" (default), or "null": a request that failed because of an outage or a timeout
        leaves None with its code in its own groups. An invalid request raises in both cases.
    progress: a one-line bar on stderr. Default: when stderr is a terminal and the call takes longer
        than a second.
    patient: asks again, with pauses, for what is missing and may come later, until `timeout_s`.
        Trainers' shims do.
    columns: whether the result has each signal's values as `columns`, too. A stream's groups carry
        the same values in their `components`.
    """

    on_failure: Literal["raise", "null"]
    progress: bool | None
    patient: bool
    columns: bool


class GroupOptions(GroupFacts, total=False):
    """Options of `group`; every one may be left out. Besides these the facts of the group, as `Group`
    has them: `language`, `reference`, `rubric`, `test_cases`, ...

    size: the number of rollouts in the group, 1..64: it is judged as soon as they are there. None
        (default): as soon as `rewards` closes it.
    group_id: names the group, 1..128 of `A-Z a-z 0-9 . _ : -`, within the key's own groups. Default: a
        fresh one. Whoever names the same adds to the same group.
    spec: a stored spec's name, or an inline spec. Default "default".
    run_id, step: what the run log files the group under.
    deadline_ms: the server's deadline of the judgement, and of each wait for it, 100..600000. Default
        120000.
    drop_thinking: empty the think blocks before sending, tags kept, as of `rewards`.
    """

    size: int | None
    group_id: str | None
    spec: str | AnySpec
    run_id: str | None
    step: int | None
    deadline_ms: int
    drop_thinking: bool


class SubmitOptions(TypedDict, total=False):
    """Options of `submit`; every one may be left out. The async client's signature has their
    defaults."""

    spec: str | AnySpec
    run_id: str | None
    step: int | None
    deadline_ms: int
    timeout_s: float
    columns: bool


class VerdictsOptions(TypedDict, total=False):
    """Options of `verdicts`; every one may be left out."""

    options: Mapping[str, object] | None
    overlong: Overlong | None
    run_id: str | None
    step: int | None
    log_texts: bool | None
    timeout_s: float


def refuse_unknown(options: Mapping[str, object], known: type) -> None:
    """Raises TypeError for an option that the TypedDict `known` does not have, and suggests the nearest
    name."""
    unknown_options(options, known.__annotations__)


def unknown_options(options: Iterable[str], known: Iterable[str]) -> None:
    unknown = set(options) - set(known)
    if unknown:
        raise TypeError(f"unknown options: {unknown_names(unknown, known)}")
