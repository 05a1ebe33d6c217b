// Guarantees that a run's list knows what holds something of the run, which a deletion of the run empties.
import { ownerOf } from "../../core/contract/owner.ts";
import { faultLine } from "../../core/faults/fault-line.ts";
import type { RunObject } from "../../objects/run-objects/list.ts";
import type { RouteDeps } from "./deps.ts";
import { type AppContext, keepAlive } from "./scope.ts";

/**
 * Lists an object of the request's run, if it names one. No reply waits for it: an object that is
 * noted after a deletion of its run is emptied by `forget` there and then.
 * @param requestId of the request as it came
 */
export function listOfRun(
  c: AppContext,
  { runObjects, report }: Pick<RouteDeps, "runObjects" | "report">,
  object: RunObject,
  requestId: string,
  forget: () => Promise<void>,
): void {
  const { run_id, key_name } = c.get("scope");
  if (run_id === undefined || run_id === null) return;
  const listed = runObjects
    .note({ run_id, owner: ownerOf(key_name) }, object, requestId)
    .then((deleted) => (deleted ? forget() : undefined))
    .catch((error) => report({ ...faultLine(error, requestId), event: `${object.kind}_not_listed` }));
  keepAlive(c, listed);
}
