"""Owns reading the run log: runs, steps, groups, verdicts, exports. Knows no scoring."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Literal, cast
from urllib.parse import quote, urlencode

from kritai.errors import Problem, Unavailable
from kritai.request_types import StepsQuery
from kritai.reward_warnings import warn_of_alarms
from kritai.run_log_types import GroupRow, RunHealth, RunSummary, StepRow, StoredVerdict
from kritai.stream import anext_or_none
from kritai.transport import Transport, parsed_line, within

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _given(**query: str | int | None) -> dict[str, Any]:
    return {name: value for name, value in query.items() if value is not None}


def _of_run(run_id: str, below: str, query: dict[str, Any]) -> str:
    path = f"/v1/runs/{quote(run_id, safe='')}{below}"
    return f"{path}?{urlencode(query)}" if query else path


class AsyncRunLog:
    """The run log, as `client.log`. Every method raises KritaiError; NotFound when the key has
    nothing under the id.

    `owner` names the key whose run is meant ("": written without keys), which another key needs the
    scope `logs:all` for.
    """

    def __init__(self, transport: Transport, timeout_s: float = 60.0) -> None:
        self._transport = transport
        self._timeout_s = timeout_s

    async def runs(self, *, owner: str | None = None) -> AsyncIterator[RunSummary]:
        """The key's runs, newest first; everybody's where it has the scope `logs:all`, or those of
        one `owner`."""
        async for run in self._pages("/v1/runs", "runs", _given(owner=owner)):
            yield cast(RunSummary, run)

    async def run(self, run_id: str, *, owner: str | None = None) -> dict[str, Any]:
        """One run's summary and its `specs`."""
        return cast("dict[str, Any]", await self._get(_of_run(run_id, "", _given(owner=owner))))

    async def steps(self, run_id: str, **query: Unpack[StepsQuery]) -> list[StepRow]:
        """A row a step, of all steps or those that the query names: see `StepsQuery`."""
        names = {"from_step": "from", "to_step": "to"}
        asked = {names.get(name, name): value for name, value in _given(**query).items()}
        reply = await self._get(_of_run(run_id, "/steps", asked))
        return cast("list[StepRow]", reply["steps"])

    async def health(self, run_id: str, *, steps: int | None = None, owner: str | None = None) -> RunHealth:
        """The alarms that the run's last `steps` steps raise; those that are on come as warnings
        of the category KritaiWarning too."""
        reply = cast("RunHealth", await self._get(_of_run(run_id, "/health", _given(steps=steps, owner=owner))))
        warn_of_alarms(reply)
        return reply

    async def groups(
        self, run_id: str, step: int | None = None, *, owner: str | None = None
    ) -> AsyncIterator[GroupRow]:
        """All groups of a run, or of one step of it."""
        query = _given(step=step, owner=owner)
        async for group in self._pages(_of_run(run_id, "/groups", {}), "groups", query):
            yield cast(GroupRow, group)

    async def request(self, request_id: str) -> dict[str, Any]:
        """One request with its groups."""
        return cast("dict[str, Any]", await self._get(f"/v1/requests/{quote(request_id, safe='')}"))

    async def verdicts(self, group_id: str) -> list[StoredVerdict]:
        """Each generation of a group; `group_id` is a GroupRow's `id`."""
        reply = await self._get(f"/v1/groups/{quote(group_id, safe='')}/verdicts")
        return cast("list[StoredVerdict]", reply["verdicts"])

    async def export(
        self, run_id: str, table: Literal["groups", "verdicts", "texts"], *, owner: str | None = None
    ) -> AsyncIterator[dict[str, Any]]:
        """Every row of a run. Raises Unavailable when the stream did not come to its end."""
        lines = self._lines(_of_run(run_id, "/export", _given(table=table, owner=owner)))
        try:
            while True:
                row = await within(time.monotonic() + self._timeout_s, anext_or_none(lines))
                if row is None or row["type"] == "error":
                    code = "connection_lost" if row is None else str(row.get("code"))
                    raise Unavailable(Problem(code, "the export broke off before its end", retryable=True))
                if row.pop("type") == "end":
                    return
                yield row
        finally:
            await lines.aclose()

    async def _lines(self, path: str) -> Any:
        async with self._transport.opened("GET", path, None, None, "application/x-ndjson") as response:
            async for line in response.aiter_lines():
                if line.strip():
                    yield parsed_line(line)

    async def _get(self, path: str) -> Any:
        return await self._transport.json("GET", path, time.monotonic() + self._timeout_s)

    async def _pages(self, path: str, name: str, query: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
        cursor: str | None = None
        while True:
            asked = {**query, **({} if cursor is None else {"cursor": cursor})}
            page = await self._get(f"{path}?{urlencode(asked)}" if asked else path)
            for row in page[name]:
                yield row
            cursor = page["next_cursor"]
            if cursor is None:
                return
