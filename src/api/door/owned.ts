// Row access: a request reads its key's rows, or the rows of all keys with the scopes `logs:all` and `admin`.

import * as z from "zod";
import { said } from "#said";
import type { RunKey } from "../../core/contract/owner.ts";
import { NOBODY, type Owner, ownerOf } from "../../core/contract/owner.ts";
import { ApiError } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { Clock } from "../../ports/ports.ts";
import type { RunLog } from "../../ports/run-log.ts";
import { timedStore } from "../../scoring/request-scope.ts";
import type { Scope } from "./auth.ts";
import { PageQuerySchema } from "./parameters.ts";
import type { AppContext } from "./scope.ts";
import { invalidRequest } from "./validation.ts";

/** `owner` selects whose rows are read; an empty name selects rows written without keys. */
export const OwnerQuerySchema = z.strictObject({
  owner: z
    .string()
    .regex(/^[A-Za-z0-9._-]{0,64}$/, "must be the name of a key, or empty for rows written without keys")
    .nullable()
    .default(null)
    .meta(
      said(
        "name of the key that owns the rows; empty for rows written without keys. Rows of other keys need the scope `logs:all`",
      ),
    ),
});

/**
 * Query of the list of runs: runs of all keys if the caller may read them, unless `owner` narrows the list.
 */
export const RunsQuerySchema = PageQuerySchema.extend(OwnerQuerySchema.shape);

const ownOf = (c: AppContext): Owner => ownerOf(c.get("scope").key_name);

const has = (c: AppContext, scope: Scope) => c.get("caller")?.scopes.includes(scope) === true;

/** The owner whose rows the request may read; null: all owners. */
export const readableBy = (c: AppContext): Owner | null => (has(c, "logs:all") ? null : changeableBy(c));

/** The owner whose rows the request may change; null: all owners. */
export const changeableBy = (c: AppContext): Owner | null => (has(c, "admin") ? null : ownOf(c));

/**
 * The owner whose runs are listed. Throws `forbidden_scope` if the request names another owner, whether or
 * not that owner exists.
 */
export function listedOwner(c: AppContext, named: Owner | null): Owner | null {
  const readable = readableBy(c);
  if (named === null || readable === null || named === readable) return named ?? readable;
  throw new ApiError("forbidden_scope", 'Reading another key\'s runs requires a key with the scope "logs:all".');
}

/**
 * The run that the request changes: the caller's own, or with `admin` the named owner's. Throws
 * `forbidden_scope` if the request names another owner, whether or not that owner exists.
 */
export function changeableRun(c: AppContext, runId: string, named: Owner | null): RunKey {
  const changeable = changeableBy(c);
  if (named === null || changeable === null || named === changeable) {
    return { run_id: runId, owner: named ?? ownOf(c) };
  }
  throw new ApiError("forbidden_scope", 'Changing another key\'s runs requires a key with the scope "admin".');
}

/** The reply for another owner's run is the same as for a missing run. */
const noSuchRun = () =>
  new ApiError(
    "not_found",
    'Run not found. New runs appear within seconds; runs of other keys need the scope "logs:all".',
  );

/**
 * The result of `read` for the run (null: no such run). The owner is the one named in the request, or the
 * caller. If the caller has no such run but may read all, it is the only other owner of a run with this id.
 * The caller's run comes first, so that another owner cannot shadow it. Throws `not_found`, or
 * `invalid_request` naming `owner` if several others have such a run.
 */
export async function ofRun<T>(
  c: AppContext,
  { runLog, clock }: { runLog: RunLog; clock: Clock },
  runId: string,
  named: Owner | null,
  read: (run: RunKey) => Promise<T | null>,
): Promise<T> {
  const timed = <R>(work: () => Promise<R>) => timedStore(clock, c.get("scope"), work);
  const readFor = (owner: Owner) => timed(() => read({ owner, run_id: runId }));
  const caller = ownOf(c);
  const all = readableBy(c) === null;
  if (named !== null && named !== caller && !all) throw noSuchRun();
  const found = await readFor(named ?? caller);
  if (found !== null) return found;
  if (named !== null || !all) throw noSuchRun();
  const [other, ...more] = await timed(() => runLog.owners(runId, LIMITS.owners_told));
  if (other === undefined) throw noSuchRun();
  if (more.length > 0) {
    const names = [other, ...more].map((owner) => (owner === NOBODY ? "(empty: no owner)" : owner)).join(", ");
    throw invalidRequest([
      { path: "owner", message: `required: several keys have a run with this id, such as ${names}` },
    ]);
  }
  const theirs = await readFor(other);
  if (theirs === null) throw noSuchRun();
  return theirs;
}
