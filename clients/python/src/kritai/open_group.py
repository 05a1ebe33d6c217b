"""The handle of a group whose rollouts are added as each is generated: adding, closing, waiting."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypedDict
from urllib.parse import quote

from kritai.call_options import GroupOptions, refuse_unknown
from kritai.errors import KritaiError
from kritai.merging import bad_reply, check_group, may_come, merged_rewards
from kritai.planned_call import DEADLINE_MS, deadline_within
from kritai.reply_types import Rewards, RewardsReply
from kritai.request_types import Prompt, Rollout
from kritai.splitting import Part, as_sent, body_of, encode, invalid

if TYPE_CHECKING:
    from kritai.loop_thread import LoopThread
    from kritai.transport import Transport

ADD_TIMEOUT_S = 120.0
BEHIND_DEADLINE_S = 60
"""Seconds that `rewards` waits beyond the server's deadline, unless `timeout_s` is given."""


class GroupState(TypedDict):
    """A group after an added rollout: it has `members` of `size` rollouts (`size` is None where it was
    not given)."""

    group_id: str
    members: int
    size: int | None
    state: Literal["gathering", "judging", "judged"]


class AsyncOpenGroup:
    """One group on the server, by its `id`. Adding has no order: rollouts may be added at the same time,
    and from several processes that name the same `group_id` and each its own positions.

    A group that is never closed costs nothing further: the server forgets it an hour after its last
    rollout.
    """

    def __init__(self, transport: Transport, prompt: Prompt, options: GroupOptions) -> None:
        refuse_unknown(options, GroupOptions)
        said: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
        self.id: str = said.pop("group_id", None) or str(uuid.uuid4())
        self._without_thinking: bool = said.pop("drop_thinking", False)
        self._deadline_ms: int = said.setdefault("deadline_ms", DEADLINE_MS)
        self._envelope = {"prompt": prompt, "spec": "default", **said}
        self._transport = transport
        self._path = f"/v1/groups/{quote(self.id, safe=':')}"
        self._next = 0
        self._added: set[int] = set()

    async def add(
        self,
        rollout: str | Rollout,
        *,
        position: int | None = None,
        timeout_s: float = ADD_TIMEOUT_S,
        patient: bool = False,
    ) -> GroupState:
        """Adds a rollout, a text or an object with `text` or `messages`, and returns when the server
        has it: it does not wait for the verifier.

        position: its place in the group, from 0. Default: behind the highest so far, in the order of
            the calls. The same rollout at the same position again changes nothing, so that a lost
            reply is asked for again.
        timeout_s: seconds until it gives up. patient: tries again until then, not a few times only.

        Raises InvalidRequest with the code `group_closed` for a new position after `rewards`, with
        `facts_disagree` where the prompt, an option or the rollout at this position is another than
        before, `invalid_request` for a position beyond `size`; else KritaiError, as everywhere.
        """
        given: Rollout = {"text": rollout} if isinstance(rollout, str) else rollout
        if not isinstance(given, Mapping):
            raise invalid("rollouts[0]", "must be a text, or an object with `text` or `messages`")
        part = Part(encode(as_sent(given, without_thinking=self._without_thinking), "rollouts[0]"))
        at = self._next if position is None else position
        self._next = max(self._next, at + 1)
        body = body_of({**self._envelope, "position": at}, "rollouts", [part])
        deadline = time.monotonic() + timeout_s
        state: GroupState = await self._transport.json(
            "POST", f"{self._path}/rollouts", deadline, body, patient=patient
        )
        self._added.add(at)
        return state

    async def rewards(self, *, timeout_s: float | None = None, patient: bool = False) -> Rewards:
        """Closes the group and waits for its rewards: `rewards[0]` is in the order of the positions,
        and `groups[0]["positions"]` names them. Asked again it gives the same.

        timeout_s: seconds until it gives up; a server that is still judging, or away, is asked until
            then. Default: a minute more than the group's `deadline_ms`.
        patient: asks again, with pauses, for rewards that are missing and may come later, until
            `timeout_s`.

        Raises NotFound for a group to which nothing was added, or which the server has forgotten, an
        hour after it was last used; DeadlineExceeded or Unavailable (`not_ready`) when it is not judged
        within `timeout_s`; else KritaiError, as everywhere.
        """
        deadline = time.monotonic() + (timeout_s or self._deadline_ms / 1000 + BEHIND_DEADLINE_S)
        reply = await self._closed(deadline)
        tries = 0
        while patient and may_come(reply["groups"][0]) and await self._transport.pause(tries, deadline):
            tries += 1
            try:
                reply = await self._closed(deadline)
            except KritaiError as error:
                if not error.retryable:
                    raise
                break
        return merged_rewards(reply["groups"], [((0,), reply)], columns=False)

    async def _closed(self, deadline: float) -> RewardsReply:
        body = encode({"deadline_ms": deadline_within(deadline, self._deadline_ms)}, "body")
        reply: RewardsReply = await self._transport.json("POST", f"{self._path}/close", deadline, body, patient=True)
        if len(reply["groups"]) != 1:
            raise bad_reply("the reply has another number of groups than one", reply["request_id"])
        positions = reply["groups"][0]["positions"]
        check_group(reply["groups"][0], len(positions))
        if positions != sorted(set(positions)) or not self._added.issubset(positions):
            raise bad_reply("the reply lacks a rollout that was added, or has another order", reply["request_id"])
        return reply


class OpenGroup:
    """The same for synchronous code; threads may add at the same time."""

    def __init__(self, thread: LoopThread, group: AsyncOpenGroup) -> None:
        self.id = group.id
        self._thread = thread
        self._group = group

    def add(
        self,
        rollout: str | Rollout,
        *,
        position: int | None = None,
        timeout_s: float = ADD_TIMEOUT_S,
        patient: bool = False,
    ) -> GroupState:
        """Adds a rollout, a text or an object with `text` or `messages`, and returns when the server
        has it: it does not wait for the verifier. Options and errors as of AsyncOpenGroup."""
        return self._thread.run(self._group.add(rollout, position=position, timeout_s=timeout_s, patient=patient))

    def rewards(self, *, timeout_s: float | None = None, patient: bool = False) -> Rewards:
        """Closes the group and waits for its rewards: `rewards[0]` is in the order of the positions,
        and `groups[0]["positions"]` names them. Options and errors as of AsyncOpenGroup."""
        return self._thread.run(self._group.rewards(timeout_s=timeout_s, patient=patient))
