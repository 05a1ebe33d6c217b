"""Owns reading the run log: runs, steps, groups, verdicts, exports. Knows no scoring."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from typing import Any, Literal, cast
from urllib.parse import quote, urlencode

from kritai.errors import Problem, Unavailable
from kritai.reply_types import GroupRow, RunSummary, StepRow, StoredVerdict
from kritai.stream import anext_or_none
from kritai.transport import Transport, parsed_line, within


class AsyncRunLog:
    """The run log, as `client.log`. Every method raises KritaiError; NotFound when nothing is stored under the id."""

    def __init__(self, transport: Transport, timeout_s: float = 60.0) -> None:
        self._transport = transport
        self._timeout_s = timeout_s

    async def runs(self) -> AsyncIterator[RunSummary]:
        """All runs, newest first."""
        async for run in self._pages("/v1/runs", "runs", {}):
            yield cast(RunSummary, run)

    async def run(self, run_id: str) -> dict[str, Any]:
        """One run's summary and its `specs`."""
        return cast("dict[str, Any]", await self._get(f"/v1/runs/{quote(run_id, safe='')}"))

    async def steps(self, run_id: str) -> list[StepRow]:
        """A row a step."""
        reply = await self._get(f"/v1/runs/{quote(run_id, safe='')}/steps")
        return cast("list[StepRow]", reply["steps"])

    async def groups(self, run_id: str, step: int | None = None) -> AsyncIterator[GroupRow]:
        """All groups of a run, or of one step of it."""
        query = {} if step is None else {"step": step}
        async for group in self._pages(f"/v1/runs/{quote(run_id, safe='')}/groups", "groups", query):
            yield cast(GroupRow, group)

    async def request(self, request_id: str) -> dict[str, Any]:
        """One request with its groups."""
        return cast("dict[str, Any]", await self._get(f"/v1/requests/{quote(request_id, safe='')}"))

    async def verdicts(self, group_id: str) -> list[StoredVerdict]:
        """Each generation of a group; `group_id` is a GroupRow's `id`."""
        reply = await self._get(f"/v1/groups/{quote(group_id, safe='')}/verdicts")
        return cast("list[StoredVerdict]", reply["verdicts"])

    async def export(self, run_id: str, table: Literal["groups", "verdicts", "texts"]) -> AsyncIterator[dict[str, Any]]:
        """Every row of a run. Raises Unavailable when the stream did not come to its end."""
        lines = self._lines(f"/v1/runs/{quote(run_id, safe='')}/export?{urlencode({'table': table})}")
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
