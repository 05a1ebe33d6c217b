"""Gathers single samples into groups inside one process, for tools that ask sample by sample."""

from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import json
import logging
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast
from urllib.parse import urlencode

from kritai.call_options import RewardsOptions
from kritai.client import Kritai
from kritai.columns import component_of, prompt_key, prompt_of, rollout_of, rollouts_of, rows_of, win_share
from kritai.default_run import default_run
from kritai.errors import InvalidRequest, KritaiError, NoScore, Problem, UnsupportedContent
from kritai.loop_thread import ProcessLock
from kritai.merging import is_score
from kritai.reply_types import RolloutResult
from kritai.request_types import Prompt, Rollout
from kritai.stated_facts import Stated, plain, rewards_by_rows, with_fields
from kritai.too_long import head_beyond


@dataclass
class _Room:
    prompt: Prompt
    rollouts: list[Rollout] = field(default_factory=list)
    stated: list[Stated] = field(default_factory=list)
    waiting: list[asyncio.Future[RolloutResult]] = field(default_factory=list)
    timer: asyncio.TimerHandle | None = None
    step: int | None = None
    """The latest step that its samples state, for the run log: a trainer may go on while a group is
    gathered."""
    refused: UnsupportedContent | None = None
    """The fault of a sample with content that no verifier is shown: all samples of the group are refused
    once all are there."""


NOTICE_S = 10.0
"""Seconds without a new sample after which an incomplete group is logged; the next line comes after
twice the time."""


class Gather:
    """Samples of one prompt wait until `group_size` have come, or `window_s` has passed since the
    last; then they are scored at once.

    All samples of a group must come to the same Gather, so to the same process. Those that come
    after the window are a separate group. Options are those of `rewards`. Samples that failed because
    of an outage or a timeout are retried until `timeout_s`, then get a result without a reward, with
    its code; a fault of the request raises.
    """

    def __init__(
        self, client: Kritai, group_size: int, window_s: float = 300.0, *, notice_s: float = NOTICE_S, **options: Any
    ) -> None:
        self._client = client
        self._notice_s = notice_s
        self._notice: asyncio.TimerHandle | None = None
        self._group_size = group_size
        self._window_s = window_s
        given = {"on_failure": "null", "patient": True, **options, "progress": False}
        self._options = cast(RewardsOptions, given)
        self._rooms: dict[str, _Room] = {}
        self._scoring: set[asyncio.Task[None]] = set()

    def submit(
        self,
        prompt: object,
        completion: object,
        token_ids: Any = None,
        stated: Stated | None = None,
        step: int | None = None,
    ) -> concurrent.futures.Future[RolloutResult]:
        """The sample's result, when its group is scored. Any thread may call; a coroutine awaits
        `asyncio.wrap_future(...)`. stated: where the facts that the spec needs are taken from; samples
        of one prompt with another `problem` are other groups, and those of a group must agree. step: the
        trainer's, where it is known; a group is logged under its samples' latest."""
        rollout: Rollout = {}
        refused = None
        try:
            rollout.update(rollout_of(completion))
        except UnsupportedContent as error:
            refused = error
        if token_ids is not None:
            rollout["length_tokens"] = len(token_ids)
        return self._client.start(self._join(prompt_of(prompt), rollout, stated or Stated(), refused, step))

    async def _join(
        self, prompt: Prompt, rollout: Rollout, stated: Stated, refused: UnsupportedContent | None, step: int | None
    ) -> RolloutResult:
        loop = asyncio.get_running_loop()
        key = prompt_key(prompt) + json.dumps(stated.problem, sort_keys=True)
        room = self._rooms.setdefault(key, _Room(prompt))
        answer: asyncio.Future[RolloutResult] = loop.create_future()
        room.rollouts.append(rollout)
        room.stated.append(stated)
        room.waiting.append(answer)
        room.refused = room.refused or refused
        room.step = max((each for each in (room.step, step) if each is not None), default=None)
        if room.timer is not None:
            room.timer.cancel()
        if len(room.rollouts) >= self._group_size:
            self._close(key)
        else:
            room.timer = loop.call_later(self._window_s, self._close, key)
        self._notice_after(self._notice_s)
        return await answer

    def _notice_after(self, seconds: float) -> None:
        if self._notice is not None:
            self._notice.cancel()
        loop = asyncio.get_running_loop()
        self._notice = loop.call_later(seconds, self._tell_waiting, seconds) if self._rooms else None

    def _tell_waiting(self, quiet_s: float) -> None:
        counts = [len(room.rollouts) for room in self._rooms.values()]
        if counts:
            told = f"{max(counts)} of {self._group_size} samples of a prompt, waiting"
            until = f"a group is judged as it is {self._window_s:g} s after its last sample"
            more = f"prompts waiting: {len(counts)}; no sample for {quiet_s:g} s; {until}"
            logging.getLogger("kritai").warning("%s (%s)", told, more)
        self._notice_after(2 * quiet_s)

    def _close(self, key: str) -> None:
        task = asyncio.ensure_future(self._score(self._rooms.pop(key)))
        self._scoring.add(task)
        task.add_done_callback(self._scoring.discard)

    async def _score(self, room: _Room) -> None:
        try:
            if room.refused is not None:
                raise room.refused
            prompts = [room.prompt] * len(room.rollouts)
            given: Any = {"one_group": True, "step": room.step, **self._options}
            try:
                scored = await rewards_by_rows(self._client.api, prompts, room.rollouts, room.stated, **given)
            except InvalidRequest as refused:
                raise with_fields(
                    refused, room.stated, "field", "Fill one, for verl reward_model.ground_truth."
                ) from None
        except Exception as error:
            for answer in room.waiting:
                if not answer.done():
                    answer.set_exception(error)
            return
        for answer, rollout in zip(room.waiting, rows_of(scored.result, scored.places), strict=True):
            if not answer.done():
                answer.set_result(rollout)


_sharing = ProcessLock()


def shared_client() -> Kritai:
    """The process's client, from KRITAI_BASE_URL and KRITAI_API_KEY."""
    with _sharing:
        return _client()


def shared_gather(
    group_size: int,
    window_s: float = 300.0,
    spec: str = "default",
    run_id: str | None = None,
    timeout_s: float | None = None,
) -> Gather:
    """The process's gathering place for these options."""
    with _sharing:
        return _gather(group_size, window_s, spec, run_id, timeout_s)


def shared_rows(
    prompts: Sequence[object], completions: Sequence[object], stated: Sequence[Stated], **options: Any
) -> list[RolloutResult]:
    """The results of rows that came together, by the process's client, retried until `timeout_s`. The
    rows are complete, so only the facts that the spec needs distinguish problems of one prompt.
    Options: those of `rewards`."""
    told = [replace(each, problem=None) for each in stated]
    given = {"on_failure": "null", "patient": True, **options}
    client = shared_client()
    scored = client.start(rewards_by_rows(client.api, prompts, rollouts_of(completions), told, **given)).result()
    return rows_of(scored.result, scored.places)


def connections() -> int:
    """The connections a process may open: a quarter of its open-file limit, within 256 and 4,096. Each
    sample that waits for its group on the server holds one, and a group whose last member finds none
    free is never complete."""
    try:
        import resource
    except ImportError:  # Windows
        return 256
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 4096 if files == resource.RLIM_INFINITY else min(4096, max(256, files // 4))


def patience(timeout_s: float) -> dict[str, int]:
    """The options by which a gathered sample's call is retried until `timeout_s`, and ends within it.

    Where there is time, the server may release the call six times while its group is incomplete
    (63 s at most, with the pauses 70 s); the seventh try is held, and judged with the samples that are
    there by half of its deadline.
    """
    if timeout_s < 120:
        return {"deadline_ms": int(timeout_s * 800)}
    return {"deadline_ms": min(600_000, int(timeout_s * 400)), "tries": 8}


def present(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that are not None."""
    return {name: value for name, value in options.items() if value is not None}


@functools.cache
def _client() -> Kritai:
    return Kritai(connections=connections())


@functools.cache
def _gather(group_size: int, window_s: float, spec: str, run_id: str | None, timeout_s: float | None) -> Gather:
    return Gather(_client(), group_size, window_s, **present({"spec": spec, "run_id": run_id, "timeout_s": timeout_s}))


def forget_shared() -> None:
    """Makes the next use take a new client and new gathering places. A forked process does so by
    itself."""
    _client.cache_clear()
    _gather.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forget_shared)


async def gathered_score(
    prompt: object,
    response: object,
    label: object,
    group_size: int,
    timeout_s: float,
    fallback: float | None,
    options: Mapping[str, Any],
) -> float:
    """One sample's reward, its group gathered by the server (`POST /slime/reward`); `label` states
    what the spec needs to know of the problem, `options` are more of the route's. Raises KritaiError
    without one, unless a fallback is declared. A label that does not state what the spec needs gets the
    fallback, too; anything else that is wrong with the request raises in both cases."""
    declared = {} if fallback is None else {"on_failure": fallback}
    query = urlencode(present({"group_size": group_size, **patience(timeout_s), **declared, **options}))
    rollout = rollout_of(response, "response")
    said = rollout["messages"] if "messages" in rollout else head_beyond(rollout["text"])
    body = {"prompt": prompt_of(prompt), "response": said, "label": plain(label)}
    call = shared_client().api.call("POST", f"/slime/reward?{query}", body, timeout_s=timeout_s, patient=True)
    try:
        reward = await asyncio.wrap_future(shared_client().start(call))
    except KritaiError as error:
        if fallback is None or not error.retryable:
            raise
        return fallback
    if not is_score(reward):
        raise NoScore(Problem("no_score", "the server gave no number for this sample", retryable=True))
    return float(reward)


def environment_gather(size: int, tool: str) -> Gather:
    """The gathering place of groups of `size`, by KRITAI_WINDOW_S, KRITAI_SPEC, KRITAI_TIMEOUT_S, and KRITAI_RUN_ID,
    by default the tool's run."""
    env = os.environ
    window_s = float(env.get("KRITAI_WINDOW_S", "300"))
    timeout_s = float(env["KRITAI_TIMEOUT_S"]) if "KRITAI_TIMEOUT_S" in env else None
    named = env.get("KRITAI_SPEC", "default"), default_run(tool)
    return shared_gather(size, window_s, *named, timeout_s)


ALONE = (
    "the spec compares answers, and this one is alone in its group, so it has no score: sample 2 or more answers of "
    "each prompt (validation: verl's val_kwargs.n with reward_kwargs.val_group_size; elsewhere KRITAI_VAL_GROUP_SIZE), "
    "name a spec that compares nothing, or declare a fallback"
)


NO_SCORE = (
    "no score, and no fallback was declared: /docs/errors of the server says what to do about this code; to train on "
    "without the score, declare a fallback"
)


def no_score(code: str | None) -> NoScore:
    """The error for a tool that takes numbers only, when a sample has none."""
    if code == "group_too_small":
        return NoScore(Problem(code, ALONE))
    return NoScore(Problem(code or "no_score", NO_SCORE, retryable=True))


def number_or(fallback: float | None, value: float | None, result: RolloutResult) -> float:
    """A value of a sample as a number, for tools that know no None: the declared fallback when
    there is none. Raises NoScore without one."""
    if value is not None:
        return float(value)
    if fallback is None:
        raise no_score(result["error"])
    return fallback


def components_or(fallback: float | None, result: RolloutResult, names: Iterable[str]) -> dict[str, float]:
    """Components as numbers, each under `kritai_<name>`; as `number_or` has it."""
    return {f"kritai_{name}": number_or(fallback, component_of(result, name), result) for name in names}


def score_or(fallback: float | None, result: RolloutResult) -> float:
    """The reward as a number, as `number_or` has it."""
    return number_or(fallback, result["reward"], result)


def share_or(fallback: float | None, result: RolloutResult) -> float:
    """The share of comparisons won, or the reward within 0 to 1 (`win_share`); without a reward the declared
    fallback within 0 to 1. Raises NoScore without one."""
    share = win_share(result)
    if share is not None:
        return share
    declared = score_or(fallback, result)
    return declared if math.isnan(declared) else min(1.0, max(0.0, declared))
