"""The handle of a batch that the server scores on its own: asking for it, waiting, cancelling."""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from kritai.errors import KritaiError, Problem
from kritai.merging import check_rewards, merged_rewards
from kritai.reply_types import GroupEvent, Rewards, RewardsReply
from kritai.request_types import Group

if TYPE_CHECKING:
    from kritai.loop_thread import LoopThread
    from kritai.transport import Transport

POLL_S = 30
"""How long one question waits on the server for the batch's end."""
LAST_LOOK_S = 10.0
"""For the last question's own way, behind the time that was given to wait."""


class BatchState(TypedDict):
    """A batch as it stands. `results`: finished groups with their `index`; `reply` only when
    `state` is done."""

    batch_id: str
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    created_at: str
    deadline_at: str
    ended_at: str | None
    progress: dict[str, int]
    results: list[GroupEvent]
    reply: RewardsReply | None
    error: dict[str, Any] | None


class AsyncBatch:
    """One submitted batch. Its `id` finds it again, also from another process:
    `client.batch(id)`."""

    def __init__(self, transport: Transport, batch_id: str, groups: Sequence[Group] | None = None) -> None:
        self.id = batch_id
        self._transport = transport
        self._groups = groups

    @property
    def _path(self) -> str:
        return f"/v1/batches/{self.id}"

    async def state(self, *, wait_s: int = 0, timeout_s: float = 90.0) -> BatchState:
        """The batch now, or when it has ended, at the latest after `wait_s` (0..60)."""
        return await self._found(wait_s, time.monotonic() + timeout_s)

    async def _found(self, wait_s: int, deadline: float, *, patient: bool = False) -> BatchState:
        query = f"?wait={wait_s}" if wait_s > 0 else ""
        found: BatchState = await self._transport.json("GET", self._path + query, deadline, patient=patient)
        return found

    async def wait(self, timeout_s: float = 1_860.0) -> Rewards:
        """The rewards when the batch is done. Raises KritaiError when it failed, was cancelled, or
        took longer than `timeout_s`; a server that is away meanwhile is waited for."""
        deadline = time.monotonic() + timeout_s
        while True:
            left_s = int(min(POLL_S, deadline - time.monotonic()))
            found = await self._found(max(0, left_s), deadline + LAST_LOOK_S, patient=True)
            if found["state"] == "done" and found["reply"] is not None:
                if self._groups is not None:
                    check_rewards(found["reply"], self._groups)
                reply, groups = found["reply"], found["reply"]["groups"]
                return merged_rewards(groups, [(range(len(groups)), reply)], columns="columns" in reply)
            if found["state"] not in ("queued", "running"):
                fault = found["error"] or {"code": "cancelled", "detail": "the batch was cancelled"}
                raise KritaiError(Problem(fault["code"], fault["detail"], request_id=self.id))
            if time.monotonic() >= deadline:
                raise KritaiError(
                    Problem("client_deadline", "the batch had not ended within timeout_s", retryable=True)
                )

    async def cancel(self) -> BatchState:
        """Ends the work down to the verifier. Groups that are finished stay in `results`."""
        found: BatchState = await self._transport.json("DELETE", self._path, time.monotonic() + 30.0)
        return found


async def submitted(transport: Transport, body: bytes, deadline: float, groups: Sequence[Group]) -> AsyncBatch:
    """Submits one request. A repetition after a lost reply comes to the same batch."""
    key = str(uuid.uuid4())
    reply = await transport.json("POST", "/v1/rewards", deadline, body, key, prefer="respond-async")
    return AsyncBatch(transport, reply["batch_id"], groups)


class Batch:
    """The same for synchronous code."""

    def __init__(self, thread: LoopThread, batch: AsyncBatch) -> None:
        self.id = batch.id
        self._thread = thread
        self._batch = batch

    def state(self, *, wait_s: int = 0, timeout_s: float = 90.0) -> BatchState:
        """The batch now, or when it has ended, at the latest after `wait_s` (0..60)."""
        return self._thread.run(self._batch.state(wait_s=wait_s, timeout_s=timeout_s))

    def wait(self, timeout_s: float = 1_860.0) -> Rewards:
        """The rewards when the batch is done. Raises KritaiError when it failed, was cancelled, or
        took longer than `timeout_s`."""
        return self._thread.run(self._batch.wait(timeout_s))

    def cancel(self) -> BatchState:
        """Ends the work down to the verifier. Groups that are finished stay in `results`."""
        return self._thread.run(self._batch.cancel())
