"""The synchronous client: runs the async one on an event loop in a separate thread."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Coroutine, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from kritai.async_client import AsyncKritai
from kritai.batch import Batch
from kritai.call_options import (
    GroupOptions,
    RewardsOptions,
    StepsQuery,
    StreamOptions,
    SubmitOptions,
    VerdictsOptions,
    refuse_unknown,
)
from kritai.loop_thread import LoopThread
from kritai.open_group import OpenGroup
from kritai.reply_types import Rewards, RewardsEvent, StoredSpec
from kritai.request_types import AnySpec, Formulation, Group, Prompt, VerdictItem
from kritai.retry_policy import RetryPolicy
from kritai.run_log import AsyncRunLog
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
from kritai.splitting import Limits
from kritai.verdict_types import Verdicts
from kritai.way import Way

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")


class Kritai:
    """The client for synchronous code: `Kritai(base_url, api_key).rewards(groups)`. Safe to share
    between threads, and after a fork; pickles, after use too. One that is dropped without `close` ends
    its thread.

    Parameters as for AsyncKritai. Every method raises KritaiError. `api` is the async client, for
    coroutines given to `start`.
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
    ) -> None:
        self._thread = LoopThread()
        self.api = AsyncKritai(
            base_url,
            api_key,
            limits=limits,
            concurrency=concurrency,
            groups_per_request=groups_per_request,
            retry=retry,
            connections=connections,
            way=way,
        )
        self.log = RunLog(self._thread, self.api.log)

    def __enter__(self) -> Kritai:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._thread.run(self.api.aclose())
        self._thread.stop()

    def rewards(self, groups: Sequence[Group], **options: Unpack[RewardsOptions]) -> Rewards:
        """Scores groups of rollouts, in as many requests as the limits ask for; the result has
        their order."""
        return self._thread.run(self.api.rewards(groups, **options))

    def submit(
        self,
        groups: Sequence[Group],
        **options: Unpack[SubmitOptions],
    ) -> Batch:
        """Has the server score the groups on its own, in one request, for at most 30 minutes:
        `submit(groups).wait()`."""
        refuse_unknown(options, SubmitOptions)
        return Batch(self._thread, self._thread.run(self.api.submit(groups, **options)))

    def batch(self, batch_id: str) -> Batch:
        """The handle of a batch that was submitted before."""
        return Batch(self._thread, self.api.batch(batch_id))

    def group(self, prompt: Prompt, **options: Unpack[GroupOptions]) -> OpenGroup:
        """A group whose rollouts are added as each is generated: `group.add(text)`, then
        `group.rewards()`. Sends nothing itself. Options: `GroupOptions`."""
        return OpenGroup(self._thread, self.api.group(prompt, **options))

    def start(self, work: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Starts a coroutine over `api` on the client's own loop. From another loop:
        `await asyncio.wrap_future(...)`."""
        return self._thread.submit(work)

    def stream_rewards(self, groups: Sequence[Group], **options: Unpack[StreamOptions]) -> Iterator[RewardsEvent]:
        """Each group when it is scored, with its `index`, and a `done` event at the end of each
        request."""
        return self._thread.iterate(self.api.stream_rewards(groups, **options))

    def verdicts(
        self,
        items: Sequence[VerdictItem],
        formulation: Formulation,
        **more: Unpack[VerdictsOptions],
    ) -> Verdicts:
        """Rewards for training the verifier itself, in the order of the items."""
        refuse_unknown(more, VerdictsOptions)
        return self._thread.run(self.api.verdicts(items, formulation, **more))

    def spec(self, name: str, *, timeout_s: float = 30.0) -> StoredSpec:
        """A stored spec, every default filled in. Raises NotFound."""
        return self._thread.run(self.api.spec(name, timeout_s=timeout_s))

    def put_spec(self, name: str, spec: AnySpec, *, timeout_s: float = 30.0) -> StoredSpec:
        """Stores a spec under a name; any name but `default`."""
        return self._thread.run(self.api.put_spec(name, spec, timeout_s=timeout_s))

    def call(
        self, method: str, path: str, body: object = None, *, timeout_s: float = 120.0, patient: bool = False
    ) -> Any:
        """Any other route, with the same keys, retries and errors: the reply's JSON. patient: tried
        again until `timeout_s`."""
        return self._thread.run(self.api.call(method, path, body, timeout_s=timeout_s, patient=patient))


class RunLog:
    """The run log, as `client.log`. NotFound is raised when nothing is stored under the id."""

    def __init__(self, thread: LoopThread, log: AsyncRunLog) -> None:
        self._thread = thread
        self._log = log

    def runs(self, *, owner: str | None = None) -> Iterator[RunSummary]:
        """The key's runs, newest first; everybody's where it has the scope `logs:all`, or those of
        one `owner`."""
        return self._thread.iterate(self._log.runs(owner=owner))

    def run(self, run_id: str, *, owner: str | None = None) -> dict[str, Any]:
        """One run's summary, its `metadata` and its `specs`."""
        return self._thread.run(self._log.run(run_id, owner=owner))

    def describe(self, run_id: str, metadata: RunMetadata, *, owner: str | None = None) -> dict[str, Any]:
        """Sets a run's metadata, such as `{"lr": 1e-6, "commit": .., "model": .., "notes": ..}`, in
        place of the previous metadata; also before its first request."""
        return self._thread.run(self._log.describe(run_id, metadata, owner=owner))

    def delete(self, run_id: str, *, owner: str | None = None) -> DeletedRun:
        """Deletes a run for good: rows, texts, and everything else stored for it. Returns the counts,
        all 0 where nothing was left. Needs the scopes `logs` and `score`."""
        return self._thread.run(self._log.delete(run_id, owner=owner))

    def steps(self, run_id: str, **query: Unpack[StepsQuery]) -> list[StepRow]:
        """A row a step, of all steps or those that the query names: see `StepsQuery`."""
        return self._thread.run(self._log.steps(run_id, **query))

    def health(self, run_id: str, *, steps: int | None = None, owner: str | None = None) -> RunHealth:
        """The alarms that the run's last `steps` steps raise; those that are on come as warnings
        of the category KritaiWarning too."""
        return self._thread.run(self._log.health(run_id, steps=steps, owner=owner))

    def groups(self, run_id: str, step: int | None = None, *, owner: str | None = None) -> Iterator[GroupRow]:
        """All groups of a run, or of one step of it."""
        return self._thread.iterate(self._log.groups(run_id, step, owner=owner))

    def request(self, request_id: str) -> dict[str, Any]:
        """One request with its groups."""
        return self._thread.run(self._log.request(request_id))

    def verdicts(self, group_id: str) -> list[StoredVerdict]:
        """Each generation of a group; `group_id` is a GroupRow's `id`."""
        return self._thread.run(self._log.verdicts(group_id))

    def audit_verdicts(self, group_id: str) -> list[AuditVerdict]:
        """Each generation of the audit of a group; empty if the group was not audited."""
        return self._thread.run(self._log.audit_verdicts(group_id))

    def export(
        self,
        run_id: str,
        table: ExportTable,
        *,
        owner: str | None = None,
        **training: Unpack[TrainingRows],
    ) -> Iterator[dict[str, Any]]:
        """Every row of a run. `pairs` and `positives` are made for training, of requests whose spec
        says `log_texts`, in the columns of TRL's datasets: pairs whose rewards lie `margin` apart or
        more (`prompt`, `chosen`, `rejected`), or answers of a reward of `least` or more (`prompt`,
        `completion`), at most `per_group` of a group and `per_prompt` of a prompt, as "messages" or
        as "text" by `form`.

        Raises Unavailable when the stream did not come to its end."""
        return self._thread.iterate(self._log.export(run_id, table, owner=owner, **training))

    def rescore(
        self,
        run_id: str,
        spec: AnySpec | str,
        *,
        from_step: int | None = None,
        to_step: int | None = None,
        owner: str | None = None,
    ) -> Iterator[RescoredGroup | RescoreSummary]:
        """The run's rewards under another spec (or the name of a stored one), out of its logged
        signals and verdicts: each group, oldest first, and last what they come to (`type` `end`).

        Raises InvalidRequest with the code `needs_judging` and the signals in `errors` for what the
        log does not tell, Unavailable when the stream did not come to its end.
        """
        lines = self._log.rescore(run_id, spec, from_step=from_step, to_step=to_step, owner=owner)
        return self._thread.iterate(lines)
