// PUT /v1/runs/:run_id stores a run's description. DELETE /v1/runs/:run_id deletes a run from the run log and
// from all other stores.

import * as z from "zod";
import { said } from "#said";
import type { RunKey } from "../../core/contract/owner.ts";
import { ownerName } from "../../core/contract/owner.ts";
import { RunIdSchema } from "../../core/contract/request-fields.ts";
import { RunMetadataSchema } from "../../core/contract/run-metadata.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { OBJECT_KINDS, type RunObject } from "../../objects/run-objects/list.ts";
import { encodeTime } from "../../platform/request-ids.ts";
import type { DeletedRows } from "../../ports/run-changes.ts";
import { timedStore } from "../../scoring/request-scope.ts";
import { requireScope } from "../door/auth.ts";
import { readJson } from "../door/body.ts";
import type { AppDeps } from "../door/deps.ts";
import { changeableRun, OwnerQuerySchema } from "../door/owned.ts";
import { pathParameter, queryParameters } from "../door/parameters.ts";
import type { AppContext } from "../door/scope.ts";
import { validated } from "../door/validation.ts";
import { asked } from "./dead-letters.ts";
import { documented, pathOf, READ, WRITE } from "./words.ts";

export function putRun({ runLog, clock }: AppDeps) {
  return async (c: AppContext): Promise<Response> => {
    const runId = pathParameter(c, "run_id", RunIdSchema);
    const { owner } = queryParameters(c, OwnerQuerySchema);
    const run = changeableRun(c, runId, owner);
    const metadata = validated(RunMetadataSchema, await readJson(c.req.raw));
    await timedStore(clock, c.get("scope"), () => runLog.describe(run, metadata));
    return c.json({ ...describeRun(run), metadata } satisfies z.output<typeof DescribedSchema>);
  };
}

const describeRun = ({ run_id, owner }: RunKey) => ({ run_id, owner: ownerName(owner) });

export function deleteRun(deps: AppDeps) {
  return async (c: AppContext): Promise<Response> => {
    const runId = pathParameter(c, "run_id", RunIdSchema);
    const { owner } = queryParameters(c, OwnerQuerySchema);
    const run = changeableRun(c, runId, owner);
    // Prevents read-only keys, such as a dashboard's, from deleting anything.
    const { caller } = c.var;
    if (caller !== undefined && !caller.scopes.includes("admin")) requireScope(caller, "score");
    const until = deps.clock.now() + LIMITS.deletion_ms;
    // Adds one millisecond, to include requests that arrived in the current millisecond.
    const before = new Date(deps.clock.date().getTime() + 1);
    const store = <T>(work: () => Promise<T>) => timedStore(deps.clock, c.get("scope"), work);
    // Marks the run as deleted first, so that requests in flight write nothing after the deletion.
    const alarms = await store(() => deps.runLog.markDeleted(run, before));
    const letters =
      deps.deadLetters === null
        ? undefined
        : asked(deps, c, (deadLetters) => deadLetters.forget(run, encodeTime(before.getTime())));
    const [dead_letters = 0, emptied] = await Promise.all([letters, emptyObjects(deps, run, before)]);
    const rows = await store(() => deleteRows(deps, run, until));
    return c.json({
      ...describeRun(run),
      before: before.toISOString(),
      complete: rows.complete && emptied.complete,
      deleted: { ...rows.deleted, alarms, dead_letters, ...emptied.deleted },
    } satisfies z.output<typeof DeletedSchema>);
  };
}

const NO_ROWS: DeletedRows = {
  ...{ requests: 0, groups: 0, rollouts: 0, verdicts: 0 },
  ...{ signals: 0, turns: 0, texts: 0, verdict_texts: 0, audit_verdicts: 0 },
};

/** Deletes rows until the deadline. Each batch is committed, so a repeated request continues the deletion. */
async function deleteRows({ runLog, clock }: AppDeps, run: RunKey, until: number) {
  const deleted = { ...NO_ROWS };
  for (let complete = false; !complete && clock.now() < until; ) {
    const some = await runLog.deleteRows(run);
    if (some === null) return { deleted, complete: true };
    for (const table of Object.keys(deleted) as (keyof DeletedRows)[]) deleted[table] += some[table];
  }
  return { deleted, complete: false };
}

/** Deletes gathered groups, stored replies and batches, a fixed number at a time. */
async function emptyObjects(deps: AppDeps, run: RunKey, before: Date) {
  const { runObjects, rooms, replies, batches } = deps;
  const forget: Record<RunObject["kind"], (name: string) => Promise<void>> = {
    rooms: (name) => rooms.forget(name),
    replies: (name) => replies.drop(name),
    batches: (name) => batches.forget(name),
  };
  const found = await runObjects.markDeleted(run, before);
  const AT_ONCE = LIMITS.deletion_objects_at_once;
  for (let from = 0; from < found.length; from += AT_ONCE) {
    const some = found.slice(from, from + AT_ONCE);
    await Promise.all(some.map(({ kind, name }) => forget[kind](name)));
    await runObjects.emptied(run, some);
  }
  const count = (kind: RunObject["kind"]) => found.filter((object) => object.kind === kind).length;
  const deleted = { rooms: count("rooms"), replies: count("replies"), batches: count("batches") };
  return { deleted, complete: found.length < LIMITS.deletion_objects };
}

const owner = z
  .string()
  .nullable()
  .meta(said("name of the key that owns the run; null if the run was written without keys"));
const count = z.int().min(0);
const DescribedSchema = z.object({ run_id: z.string(), owner, metadata: RunMetadataSchema });
const MEANT: Readonly<Record<string, string>> = {
  turns: "hashes of turns",
  texts: "parts of prompts and rollouts, at most 16,384 characters each",
  verdict_texts: "answers of verifiers",
  dead_letters: "messages that could not be stored",
  rooms: "gathering rooms of groups",
  replies: "replies stored for an Idempotency-Key",
  batches: "batches, running or ended",
};
const counted = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, count.meta({ description: MEANT[name] ?? `rows of ${name}` })]));

export const DeletedSchema = z.object({
  run_id: z.string(),
  owner,
  before: z.iso.datetime().meta(said("data from before this time is deleted, and is not stored if it arrives late")),
  complete: z.boolean().meta(said("false: this request ran out of time before everything was deleted; send it again")),
  deleted: z
    .object({
      ...(counted(Object.keys(NO_ROWS)) as Record<keyof DeletedRows, typeof count>),
      ...(counted(["alarms", "dead_letters"]) as Record<"alarms" | "dead_letters", typeof count>),
      ...(counted(OBJECT_KINDS) as Record<RunObject["kind"], typeof count>),
    })
    .meta(said("deleted rows per table, and deleted data stored elsewhere")),
});

const runPath = () => pathOf("run_id", RunIdSchema, "Name of the run, chosen by the trainer");

export const words = /* @__PURE__ */ documented(() => ({
  "PUT /v1/runs/:run_id": {
    operationId: "putRun",
    tag: "Run log",
    summary: "Sets the metadata of a run: learning rate, commit, model, notes",
    description:
      "Flat JSON with names that you choose; replaces earlier metadata. You can set it before the first request of the run.",
    path: runPath(),
    query: OwnerQuerySchema,
    request: RunMetadataSchema,
    said: "Stored.",
    reply: DescribedSchema,
    faults: [404, ...WRITE],
  },
  "DELETE /v1/runs/:run_id": {
    operationId: "deleteRun",
    tag: "Run log",
    summary: "Permanently deletes a run and everything stored for it",
    description:
      "Deletes rows, texts, dead letters, rooms, stored replies, batches and cached verdicts. Rows that are still queued are dropped when they arrive. Specs stay, because they belong to the deployment. The reply counts what was deleted; repeating the call is safe and counts nothing. Later requests start the run again from nothing. Requires the scopes `logs` and `score`; another key's run requires `admin` and `owner`.",
    path: runPath(),
    query: OwnerQuerySchema,
    said: "Deleted.",
    reply: DeletedSchema,
    faults: [400, ...READ],
  },
}));
