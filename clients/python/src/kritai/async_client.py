"""The async client: scoring calls over one or many requests. The run log is in run_log.py. The sync
client wraps this one."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from kritai.batch import AsyncBatch, submitted
from kritai.call_options import GroupOptions, RewardsOptions, StreamOptions, refuse_unknown
from kritai.errors import KritaiError
from kritai.merging import (
    Answer,
    check_group,
    check_rewards,
    may_come,
    merged_rewards,
    merged_verdicts,
    unanswered,
)
from kritai.open_group import AsyncOpenGroup
from kritai.planned_call import ENVELOPE_BYTES, PlannedCall, Width, planned, side_by_side, with_places
from kritai.progress import ProgressBar
from kritai.reply_types import GroupResult, Rewards, RewardsEvent, RewardsReply, StoredSpec
from kritai.request_types import AnySpec, Formulation, Group, Overlong, Prompt, VerdictItem
from kritai.retry_policy import RetryPolicy
from kritai.run_log import AsyncRunLog
from kritai.splitting import (
    TOO_MUCH,
    Limits,
    Part,
    body_of,
    encode,
    group_parts,
    halves,
    invalid,
    item_places,
    listed,
    split,
)
from kritai.stream import StreamOfGroups
from kritai.transport import Transport
from kritai.verdict_types import Verdicts
from kritai.way import Way

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")

BATCH_DEADLINE_MS = 1_800_000


class AsyncKritai:
    """The client.
    `async with AsyncKritai(base_url, api_key) as client: result = await client.rewards(groups)`.

    base_url, api_key: default to the environment's KRITAI_BASE_URL and KRITAI_API_KEY.
    limits: of one request; a batch over it is split at group boundaries. generations:
        65,536 for servers with a gateway.
    concurrency: concurrent requests of one call.
    groups_per_request: the maximum of groups in a request, up to 64 requests side by side. None: as
        many as the limits allow, until the server warns `headers_late`; from then on 1.
    retry: how often and how long failed requests are tried again.
    connections: how many may be open at once; a call that finds none free waits for one.
    way: headers, a proxy, custom TLS, or an httpx client.

    It pickles, after use too, and its key with it.
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        limits: Limits | None = None,
        concurrency: int = 4,
        groups_per_request: int | None = None,
        retry: RetryPolicy | None = None,
        connections: int = 256,
        way: Way | None = None,
        transport: Transport | None = None,
    ) -> None:
        self._width = Width(limits or Limits(), max(1, concurrency), groups_per_request)
        policy = retry or RetryPolicy()
        self._transport = transport or Transport(base_url, api_key, retry=policy, connections_max=connections, way=way)
        self.log = AsyncRunLog(self._transport)

    async def __aenter__(self) -> AsyncKritai:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self._transport.aclose()

    async def rewards(self, groups: Sequence[Group], **options: Unpack[RewardsOptions]) -> Rewards:
        """Scores groups of rollouts: POST /v1/rewards, in as many requests as the limits ask for.

        The result has the order of `groups`. Options: `RewardsOptions`. Raises KritaiError.
        """
        groups = listed(groups, "groups", "prompt")
        refuse_unknown(options, RewardsOptions)
        on_failure = options.pop("on_failure", "raise")
        patient = options.pop("patient", False)
        progress = options.pop("progress", None)
        columns = options.pop("columns", False)
        named = cast(StreamOptions, options)
        limits, concurrency = self._width.of_call()
        batch, runs = planned(groups, named, limits, concurrency, columns=columns)
        replies: dict[int, list[Answer]] = {}
        results: dict[int, GroupResult] = {}

        async def score(run: range, free: asyncio.Semaphore) -> None:
            try:
                async with free:
                    reply = await self._scored(batch, run, patient)
            except KritaiError as error:
                if error.code in TOO_MUCH | {"http_413"} and len(run) > 1:
                    for half in halves(run):
                        await score(half, free)
                    return
                if on_failure == "raise" or not error.retryable:
                    raise with_places(error, run.start) from None
                for at in run:
                    results[at] = unanswered(groups[at], groups[at].get("group_id", str(at)), error)
            else:
                replies[run.start] = [(run, reply)]
                results.update(zip(run, reply["groups"], strict=True))
            if patient and run.start in replies:
                await self._again(batch, run, results, replies[run.start], free)
            bar.add(len(run))

        async with ProgressBar(len(groups), progress) as bar:
            await side_by_side(score, runs, concurrency)
        answers = [answer for at in sorted(replies) for answer in replies[at]]
        return merged_rewards([results[at] for at in range(len(groups))], answers, columns=columns)

    async def _again(
        self,
        batch: PlannedCall,
        run: range,
        results: dict[int, GroupResult],
        replies: list[Answer],
        free: asyncio.Semaphore,
    ) -> None:
        """Asks again for the groups of a run whose missing rewards may still be had, until the call's
        deadline. Adds the replies to those of the run. Frees its concurrency slot while it pauses, so
        that unavailable rewards do not block other requests."""
        tries = 0
        while failed := [at for at in run if may_come(results[at])]:
            if not await self._transport.pause(tries, batch.deadline):
                return
            tries += 1
            try:
                async with free:
                    reply = await self._scored(batch, failed, True)
            except KritaiError as error:
                if not error.retryable:
                    raise
                return
            replies.append((failed, reply))
            results.update(zip(failed, reply["groups"], strict=True))

    async def submit(
        self,
        groups: Sequence[Group],
        *,
        spec: str | AnySpec = "default",
        run_id: str | None = None,
        step: int | None = None,
        deadline_ms: int = BATCH_DEADLINE_MS,
        timeout_s: float = 120.0,
        columns: bool = False,
    ) -> AsyncBatch:
        """Has the server score the groups in the background, in one request within its limits: no
        caller holds a connection for it.

        deadline_ms: from now, at most 30 minutes, the default. timeout_s: of the submission. columns:
            as of `rewards`. Raises KritaiError.
        """
        groups = listed(groups, "groups", "prompt")
        named = {"run_id": run_id, "step": step, "columns": columns or None}
        envelope = {"spec": spec, "deadline_ms": deadline_ms, **{k: v for k, v in named.items() if v is not None}}
        body = body_of(envelope, "groups", group_parts(groups, spec, without_thinking=False))
        return await submitted(self._transport, body, time.monotonic() + timeout_s, groups)

    def batch(self, batch_id: str) -> AsyncBatch:
        """The handle of a batch that was submitted before."""
        return AsyncBatch(self._transport, batch_id)

    def group(self, prompt: Prompt, **options: Unpack[GroupOptions]) -> AsyncOpenGroup:
        """A group whose rollouts are added as each is generated, so that judging begins before the
        last is there: `await group.add(text)`, then `await group.rewards()`.

        Sends nothing itself. Options: `GroupOptions`. Raises TypeError for an unknown option.
        """
        return AsyncOpenGroup(self._transport, prompt, options)

    async def _scored(self, batch: PlannedCall, run: Sequence[int], patient: bool = False) -> RewardsReply:
        reply: RewardsReply = await self._post("/v1/rewards", batch.body(run), batch.deadline, patient)
        check_rewards(reply, [batch.groups[at] for at in run])
        self._width.heed(reply["warnings"])
        return reply

    async def stream_rewards(
        self, groups: Sequence[Group], **options: Unpack[StreamOptions]
    ) -> AsyncIterator[RewardsEvent]:
        """Yields each group when it is scored, with its `index` among `groups`, and a `done` event
        at the end of each request.

        A batch over the limits is streamed one request after the other. When a stream breaks, only
        the groups that did not come are asked again; no group comes twice. Raises KritaiError.
        """
        groups = listed(groups, "groups", "prompt")
        batch, runs = planned(groups, options, self._width.limits, self._width.concurrency)
        waiting = [list(run) for run in runs]
        while waiting:
            run = waiting.pop(0)
            stream = StreamOfGroups(self._transport, run, batch.deadline)
            try:
                async for event in stream.events(batch.body):
                    if event["type"] == "group":
                        check_group(event, len(groups[event["index"]]["rollouts"]))
                    yield event
            except KritaiError as error:
                if error.code not in TOO_MUCH | {"http_413"} or len(stream.missing) < 2:
                    raise
                middle = len(stream.missing) // 2
                waiting[:0] = [stream.missing[:middle], stream.missing[middle:]]

    async def verdicts(
        self,
        items: Sequence[VerdictItem],
        formulation: Formulation,
        *,
        options: Mapping[str, object] | None = None,
        overlong: Overlong | None = None,
        run_id: str | None = None,
        step: int | None = None,
        log_texts: bool | None = None,
        timeout_s: float = 120.0,
    ) -> Verdicts:
        """Rewards for training the verifier itself: POST /v1/verdicts, in the order of the items.
        Needs no GPU. `log_texts`: whether the run keeps prompts and texts, for `log.export`; default: as the
        deployment says. Raises KritaiError."""
        items = listed(items, "items", "text")
        if not items:
            raise invalid("items", "at least one item is needed")
        named = {"options": options, "overlong": overlong, "run_id": run_id, "step": step, "log_texts": log_texts}
        envelope = {"formulation": formulation, **{name: value for name, value in named.items() if value is not None}}
        places = item_places(items)
        parts = [Part(b",".join(encode(items[at], f"items[{at}]") for at in place)) for place in places]
        limits = self._width.limits
        if not any("prompt" in item for item in items):
            limits = replace(limits, parts=65_536)
        runs = split(parts, limits, ENVELOPE_BYTES)
        deadline = time.monotonic() + timeout_s
        replies: dict[int, dict[str, Any]] = {}

        async def reward(run: range, free: asyncio.Semaphore) -> None:
            try:
                async with free:
                    body = body_of(envelope, "items", parts[run.start : run.stop])
                    replies[run.start] = await self._post("/v1/verdicts", body, deadline)
            except KritaiError as error:
                raise with_places(error, places[run.start].start) from None

        await side_by_side(reward, runs, self._width.concurrency)
        return merged_verdicts(items, [replies[run.start] for run in runs])

    async def spec(self, name: str, *, timeout_s: float = 30.0) -> StoredSpec:
        """A stored spec, every default filled in. Raises NotFound."""
        reply: StoredSpec = await self.call("GET", f"/v1/specs/{name}", timeout_s=timeout_s)
        return reply

    async def put_spec(self, name: str, spec: AnySpec, *, timeout_s: float = 30.0) -> StoredSpec:
        """Stores a spec under a name; any name but `default`."""
        reply: StoredSpec = await self.call("PUT", f"/v1/specs/{name}", spec, timeout_s=timeout_s)
        return reply

    async def call(
        self, method: str, path: str, body: object = None, *, timeout_s: float = 120.0, patient: bool = False
    ) -> Any:
        """Any other route, with the same keys, retries and errors: the reply's JSON. patient: tried
        again until `timeout_s`."""
        content = None if body is None else encode(body, "body")
        key = None if content is None else str(uuid.uuid4())
        return await self._transport.json(method, path, time.monotonic() + timeout_s, content, key, patient=patient)

    async def _post(self, path: str, body: bytes, deadline: float, patient: bool = False) -> Any:
        return await self._transport.json("POST", path, deadline, body, str(uuid.uuid4()), patient=patient)
