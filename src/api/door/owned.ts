// Access to rows of the run log: a key can read its own rows, or with the scope `logs:all` or `admin` the
// rows of all keys.

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

/** `owner` is the key whose rows are read; an empty string selects rows that were written without keys. */
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

/** Query parameters of the list of runs. Without `owner`, lists all runs that the caller may read. */
export const RunsQuerySchema = PageQuerySchema.extend(OwnerQuerySchema.shape);

const ownOf = (c: AppContext): Owner => ownerOf(c.get("scope").key_name);

const has = (c: AppContext, scope: Scope) => c.get("caller")?.scopes.includes(scope) === true;

/** The owner whose rows the request may read; null: all owners. */
export const readableBy = (c: AppContext): Owner | null => (has(c, "logs:all") ? null : changeableBy(c));

/** The owner whose rows the request may change; null: all owners. */
export const changeableBy = (c: AppContext): Owner | null => (has(c, "admin") ? null : ownOf(c));

/**
 * The owner whose runs are listed; null: all owners. Throws `forbidden_scope` if the request names an owner
 * whose runs the caller may not read, whether or not that owner exists.
 */
export function listedOwner(c: AppContext, named: Owner | null): Owner | null {
  const readable = readableBy(c);
  if (named === null || readable === null || named === readable) return named ?? readable;
  throw new ApiError("forbidden_scope", 'Reading another key\'s runs requires a key with the scope "logs:all".');
}

/**
 * The run that the request changes: the caller's own run, or with `admin` the named owner's run. Throws
 * `forbidden_scope` if the caller names another owner without `admin`, whether or not that owner exists.
 */
export function changeableRun(c: AppContext, runId: string, named: Owner | null): RunKey {
  const changeable = changeableBy(c);
  if (named === null || changeable === null || named === changeable) {
    return { run_id: runId, owner: named ?? ownOf(c) };
  }
  throw new ApiError("forbidden_scope", 'Changing another key\'s runs requires a key with the scope "admin".');
}

/** The error for a missing run, and also for another owner's run, so as not to reveal that it exists. */
const noSuchRun = () =>
  new ApiError(
    "not_found",
    'Run not found. New runs appear within seconds; runs of other keys need the scope "logs:all".',
  );

/**
 * Calls `read` for the run and returns its result. The run's owner is the one named in the request, otherwise
 * the caller. If the caller has no such run but may read all runs, takes the run of the only other owner. The
 * caller's run has priority, so that another owner cannot shadow it.
 * @param read returns null if the owner has no such run
 * @throws ApiError `not_found`; `invalid_request` for `owner` if several other owners have such a run
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
