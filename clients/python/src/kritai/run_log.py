"""The run log: reading runs, steps, groups, verdicts and exports; describing a run, and deleting it."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote, urlencode

from kritai.call_options import StepsQuery
from kritai.errors import Problem, Unavailable
from kritai.reading import parsed_line
from kritai.request_types import AnySpec
from kritai.reward_warnings import warn_of_alarms
from kritai.run_log_types import (
    AuditVerdict,
    DeletedRun,
    ExportTable,
    GroupRow,
    RescoredGroup,
    RescoreSummary,
    RunHealth,
    RunMetadata,
    RunSummary,
    StepRow,
    StoredVerdict,
    TrainingRows,
)
from kritai.splitting import encode
from kritai.stream import anext_or_none
from kritai.transport import Transport, within

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _given(**query: str | float | None) -> dict[str, Any]:
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
        """One run's summary, its `metadata` and its `specs`."""
        return cast("dict[str, Any]", await self._get(_of_run(run_id, "", _given(owner=owner))))

    async def describe(self, run_id: str, metadata: RunMetadata, *, owner: str | None = None) -> dict[str, Any]:
        """Sets a run's metadata, such as `{"lr": 1e-6, "commit": .., "model": .., "notes": ..}`, in
        place of the previous metadata; also before its first request."""
        path = _of_run(run_id, "", _given(owner=owner))
        deadline = time.monotonic() + self._timeout_s
        reply = await self._transport.json("PUT", path, deadline, encode(dict(metadata), "metadata"))
        return cast("dict[str, Any]", reply)

    async def delete(self, run_id: str, *, owner: str | None = None) -> DeletedRun:
        """Deletes a run for good: rows, texts, and everything else stored for it. Returns the counts,
        all 0 where nothing was left. Needs the scopes `logs` and `score`."""
        path = _of_run(run_id, "", _given(owner=owner))
        counts: dict[str, int] = {}
        while True:
            reply = await self._transport.json("DELETE", path, time.monotonic() + self._timeout_s)
            for name, count in reply["deleted"].items():
                counts[name] = counts.get(name, 0) + count
            if reply["complete"]:
                return cast(DeletedRun, {**reply, "deleted": counts})

    async def steps(self, run_id: str, **query: Unpack[StepsQuery]) -> list[StepRow]:
        """A row a step, of all steps or those that the query names: see `StepsQuery`."""
        names = {"from_step": "from", "to_step": "to"}
        signals = "true" if query.pop("signals", None) else None
        asked = {names.get(name, name): value for name, value in _given(**query, signals=signals).items()}
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

    async def audit_verdicts(self, group_id: str) -> list[AuditVerdict]:
        """Each generation of the audit of a group; empty if the group was not audited."""
        reply = await self._get(f"/v1/groups/{quote(group_id, safe='')}/verdicts")
        return cast("list[AuditVerdict]", reply.get("audit", []))

    async def export(
        self, run_id: str, table: ExportTable, *, owner: str | None = None, **training: Unpack[TrainingRows]
    ) -> AsyncIterator[dict[str, Any]]:
        """Every row of a run. `pairs` and `positives` are made for training, of requests whose spec
        says `log_texts`, in the columns of TRL's datasets: pairs whose rewards lie `margin` apart or
        more (`prompt`, `chosen`, `rejected`), or answers of a reward of `least` or more (`prompt`,
        `completion`), at most `per_group` of a group and `per_prompt` of a prompt, as "messages" or
        as "text" by `form`.

        Raises Unavailable when the stream did not come to its end."""
        query = _given(table=table, owner=owner, **training)
        async for row in self._whole("export", self._lines("GET", _of_run(run_id, "/export", query))):
            if row.pop("type") != "end":
                yield row

    async def rescore(
        self,
        run_id: str,
        spec: AnySpec | str,
        *,
        from_step: int | None = None,
        to_step: int | None = None,
        owner: str | None = None,
    ) -> AsyncIterator[RescoredGroup | RescoreSummary]:
        """The run's rewards under another spec (or the name of a stored one), out of its logged
        signals and verdicts: each group, oldest first, and last what they come to (`type` `end`).

        Raises InvalidRequest with the code `needs_judging` and the signals in `errors` for what the
        log does not tell, Unavailable when the stream did not come to its end.
        """
        body = encode({"spec": spec, "from_step": from_step, "to_step": to_step}, "body")
        path = _of_run(run_id, "/rescore", _given(owner=owner))
        async for line in self._whole("rescoring", self._lines("POST", path, body)):
            yield cast("RescoredGroup | RescoreSummary", line)

    async def _whole(self, what: str, lines: Any) -> AsyncIterator[dict[str, Any]]:
        """Lines up to the one marked as the last."""
        try:
            while True:
                line = await within(time.monotonic() + self._timeout_s, anext_or_none(lines))
                if line is None or line["type"] == "error":
                    code = "connection_lost" if line is None else str(line.get("code"))
                    raise Unavailable(Problem(code, f"the {what} broke off before its end", retryable=True))
                last = line["type"] == "end"
                yield line
                if last:
                    return
        finally:
            await lines.aclose()

    async def _lines(self, method: str, path: str, body: bytes | None = None) -> Any:
        async with self._transport.opened(method, path, body, None, "application/x-ndjson") as response:
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
