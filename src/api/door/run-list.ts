// Records which Durable Objects (batches, stored replies, gathered groups) contain data of a run, so that
// deleting the run can delete that data.
import { ownerOf } from "../../core/contract/owner.ts";
import { faultLine } from "../../core/faults/fault-line.ts";
import type { RunObject } from "../../objects/run-objects/list.ts";
import type { AppDeps } from "./deps.ts";
import { type AppContext, keepAlive } from "./scope.ts";

/**
 * Adds an object to the list of the request's run, if the request names a run. Runs in the background.
 * @param requestId the request's original id
 * @param forget called to delete the object's data if the run has been deleted in the meantime
 */
export function listOfRun(
  c: AppContext,
  { runObjects, report }: Pick<AppDeps, "runObjects" | "report">,
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
