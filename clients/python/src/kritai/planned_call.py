"""Defines what one scoring call sends: its requests within the limits and their deadlines."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from kritai.call_options import StreamOptions, refuse_unknown
from kritai.errors import FieldFault, KritaiError
from kritai.request_types import Group
from kritai.splitting import Limits, Part, body_of, group_parts, split

DEADLINE_MS = 120_000
DEADLINE_MS_MIN = 100
ENVELOPE_BYTES = 16 * 1024
"""Set aside in each body for what is not groups: run, step, spec."""


def deadline_within(deadline: float, wanted_ms: int) -> int:
    """The server's `deadline_ms` of a request of a call that ends at `deadline` (time.monotonic): the
    inner one, at most 80 % of what the call has left."""
    left_ms = int((deadline - time.monotonic()) * 800)
    return max(DEADLINE_MS_MIN, min(wanted_ms, left_ms))


async def side_by_side(
    work: Callable[[range, asyncio.Semaphore], Awaitable[None]], runs: Sequence[range], concurrency: int
) -> None:
    """All requests at once; each takes one of `concurrency` places while it asks. The first failure
    cancels the others."""
    free = asyncio.Semaphore(concurrency)
    tasks = [asyncio.ensure_future(work(run, free)) for run in runs]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@dataclass(frozen=True)
class PlannedCall:
    """Parts under one envelope, until `deadline` (time.monotonic), in requests that end by
    `deadline_ms`."""

    groups: Sequence[Group]
    parts: Sequence[Part]
    envelope: Mapping[str, object]
    deadline: float
    deadline_ms: int

    def body(self, run: Sequence[int]) -> bytes:
        """The request for some of the groups."""
        inner_ms = deadline_within(self.deadline, self.deadline_ms)
        return body_of({**self.envelope, "deadline_ms": inner_ms}, "groups", [self.parts[at] for at in run])


HEADERS_LATE = "headers_late"
SIDE_BY_SIDE = 64
"""Requests of few groups each: a server's request may hold six connections that wait for the
verifier, so that each adds six."""


@dataclass
class Width:
    """How much of a call goes into one request, and how many requests go side by side."""

    limits: Limits
    concurrency: int
    groups_per_request: int | None = None

    def of_call(self) -> tuple[Limits, int]:
        """For a call that begins now."""
        most = self.groups_per_request
        if most is None:
            return self.limits, self.concurrency
        limits = replace(self.limits, parts=max(1, min(most, self.limits.parts)))
        return limits, max(self.concurrency, SIDE_BY_SIDE)

    def heed(self, told: Sequence[str]) -> None:
        """Where nothing was asked for and the server warns that headers come late, further calls
        send a group a request."""
        if self.groups_per_request is None and any(warning.startswith(HEADERS_LATE) for warning in told):
            self.groups_per_request = 1


def planned(
    groups: Sequence[Group],
    options: StreamOptions,
    limits: Limits,
    concurrency: int,
    *,
    columns: bool = False,
) -> tuple[PlannedCall, list[range]]:
    """The call and its requests, each a range of the groups. Raises TypeError for an option that
    there is not."""
    refuse_unknown(options, StreamOptions)
    spec = options.get("spec", "default")
    parts = group_parts(groups, spec, without_thinking=options.get("drop_thinking", False))
    runs = split(parts, limits, ENVELOPE_BYTES)
    deadline_ms = options.get("deadline_ms", DEADLINE_MS)
    waves = -(-len(runs) // concurrency)
    timeout_s = options.get("timeout_s") or waves * deadline_ms / 1000 + 60
    named = {"run_id": options.get("run_id"), "step": options.get("step"), "columns": columns or None}
    envelope = {"spec": spec, **{name: value for name, value in named.items() if value is not None}}
    return PlannedCall(groups, parts, envelope, time.monotonic() + timeout_s, deadline_ms), runs


def with_places(error: KritaiError, start: int) -> KritaiError:
    """The error of a later request of a split call, its field paths counted from the call's first
    group or item."""
    if start == 0 or not error.errors:
        return error

    def moved(fault: FieldFault) -> FieldFault:
        place = re.sub(r"^(groups|items)\[(\d+)\]", lambda m: f"{m[1]}[{int(m[2]) + start}]", fault.path)
        return FieldFault(place, fault.message)

    detail = f"in the request that begins at index {start}: {error.problem.detail}"
    return type(error)(replace(error.problem, detail=detail, errors=tuple(map(moved, error.errors))))
