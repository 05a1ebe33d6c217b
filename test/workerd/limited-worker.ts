// The Worker of the workerd tests: src/worker.ts under production's limits
// (test/harness/production-limits.ts). Its exports are those that wrangler.toml binds.
import * as product from "../../src/worker.ts";
import { limitedObject, limitedWorker } from "../harness/production-limits/worker.ts";

export default limitedWorker(product.default);
export const Batch = limitedObject(product.Batch);
export const DeadLetters = limitedObject(product.DeadLetters);
export const DeploymentTotals = limitedObject(product.DeploymentTotals);
export const GroupRoom = limitedObject(product.GroupRoom);
export const IdempotentRequests = limitedObject(product.IdempotentRequests);
export const KeyCounters = limitedObject(product.KeyCounters);
