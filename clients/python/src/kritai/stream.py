"""The NDJSON form of a request for rewards: its lines as events, and what is asked again when it
breaks."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, cast

from kritai.errors import KritaiError, Problem, ServerFault, Unavailable
from kritai.merging import bad_reply
from kritai.reading import parsed_line
from kritai.reply_fields import Fields
from kritai.reply_types import RewardsEvent
from kritai.reward_warnings import warn_of
from kritai.transport import Transport, within


class StreamOfGroups:
    """The stream of some groups of a call, named by their indices in it. `missing`: those that have
    not come yet."""

    def __init__(self, transport: Transport, run: Sequence[int], deadline: float) -> None:
        self.missing = list(run)
        self._transport = transport
        self._asking = transport.asking(deadline)

    async def events(self, body_of: Callable[[Sequence[int]], bytes]) -> AsyncIterator[RewardsEvent]:
        """Groups under their index in the call, then `done`. A broken stream is retried with what
        is missing. Raises KritaiError."""
        tries = 0
        while self.missing:
            before = len(self.missing)
            try:
                async for event in self._attempt(body_of(self.missing)):
                    yield event
                return
            except KritaiError as error:
                tries = 0 if len(self.missing) < before else tries
                await self._transport.pause_before_retry(error, tries, self._asking)
                tries += 1

    async def _attempt(self, body: bytes) -> AsyncIterator[RewardsEvent]:
        sent = list(self.missing)
        lines = self._lines(body)
        try:
            while True:
                event = await within(self._asking.deadline, anext_or_none(lines))
                if event is None:
                    raise Unavailable(Problem("connection_lost", "the stream ended early", retryable=True))
                if event["type"] == "error":
                    raise _stream_error(event)
                if event["type"] == "group":
                    yield self._placed(event, sent)
                if event["type"] == "done":
                    if self.missing:
                        raise bad_reply("the stream ended without some of the groups", event.get("request_id"))
                    warn_of(event["warnings"])
                    yield cast(RewardsEvent, event)
                    return
        finally:
            await lines.aclose()

    async def _lines(self, body: bytes) -> Any:
        key, form = str(uuid.uuid4()), "application/x-ndjson"
        opened = self._transport.opened("POST", "/v1/rewards", body, key, form, asking=self._asking)
        async with opened as response:
            async for line in response.aiter_lines():
                if line.strip():
                    yield parsed_line(line)

    def _placed(self, event: dict[str, Any], sent: Sequence[int]) -> RewardsEvent:
        index = event["index"]
        if not (isinstance(index, int) and 0 <= index < len(sent)) or sent[index] not in self.missing:
            raise bad_reply("the stream brought a group that was not asked for, or one twice")
        self.missing.remove(sent[index])
        return cast(RewardsEvent, Fields({**event, "index": sent[index]}))


async def anext_or_none(lines: Any) -> dict[str, Any] | None:
    """The next line, or None at the end."""
    async for event in lines:
        return cast("dict[str, Any]", event)
    return None


def _stream_error(event: dict[str, Any]) -> KritaiError:
    kind = Unavailable if event.get("retryable") else ServerFault
    detail, request_id = str(event.get("detail", "")), event.get("request_id")
    return kind(Problem(str(event.get("code")), detail, request_id=request_id, retryable=bool(event.get("retryable"))))
