// Decides whose rows a request may read: its own key's, or by the scopes `logs:all` and `admin` everybody's.

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

/** `owner` names whose rows; an empty one is those written without keys. */
export const OwnerQuerySchema = z.strictObject({
  owner: z
    .string()
    .regex(/^[A-Za-z0-9._-]{0,64}$/, "must be the name of a key, or empty for rows written without keys")
    .nullable()
    .default(null)
    .meta(
      said(
        "whose rows: the name of a key, or empty for those written without keys. Another's need the scope `logs:all`",
      ),
    ),
});

/** The list of runs: everybody's where the key reads everybody's, unless `owner` narrows it. */
export const RunsQuerySchema = PageQuerySchema.extend(OwnerQuerySchema.shape);

const ownOf = (c: AppContext): Owner => ownerOf(c.get("scope").key_name);

const has = (c: AppContext, scope: Scope) => c.get("caller")?.scopes.includes(scope) === true;

/** The owner whose rows the request may read: its key's, or everybody's (null). */
export const readableBy = (c: AppContext): Owner | null => (has(c, "logs:all") ? null : changeableBy(c));

/** The owner whose rows the request may put back into the log: its key's, or everybody's (null). */
export const changeableBy = (c: AppContext): Owner | null => (has(c, "admin") ? null : ownOf(c));

/** The owner whose runs a list shows. Throws `forbidden_scope` for another name, whether it exists or not. */
export function listedOwner(c: AppContext, named: Owner | null): Owner | null {
  const readable = readableBy(c);
  if (named === null || readable === null || named === readable) return named ?? readable;
  throw new ApiError("forbidden_scope", 'Reading another key\'s runs needs a key with the scope "logs:all".');
}

/**
 * A run that the request changes: its own key's, or with `admin` the named owner's. Throws
 * `forbidden_scope` for another's name, whether anybody has that name or not.
 */
export function changeableRun(c: AppContext, runId: string, named: Owner | null): RunKey {
  const changeable = changeableBy(c);
  if (named === null || changeable === null || named === changeable) {
    return { run_id: runId, owner: named ?? ownOf(c) };
  }
  throw new ApiError("forbidden_scope", 'Changing another key\'s runs needs a key with the scope "admin".');
}

/** Another's run is answered as one that is not there. */
const noSuchRun = () =>
  new ApiError(
    "not_found",
    'Run not found. New runs appear within seconds; runs of other keys need the scope "logs:all".',
  );

/**
 * The result of `read` for the run (null: none). The owner is the one that the request names, else its key's,
 * else, where it may read everybody's, the only other one with a run of this id. Own runs come first, so that
 * another owner cannot take their place. Throws `not_found`, or `invalid_request` naming `owner` where
 * several others have one.
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
    const names = [other, ...more].map((owner) => (owner === NOBODY ? "(empty: nobody's)" : owner)).join(", ");
    throw invalidRequest([
      { path: "owner", message: `required: several keys have a run of this id, such as ${names}` },
    ]);
  }
  const theirs = await readFor(other);
  if (theirs === null) throw noSuchRun();
  return theirs;
}
