// Deploy steps that undo a deployment: roll back to the previous version, or delete everything.

import { readQueue } from "./account.ts";
import { orFault, type Run, type Step, StepFault, type Version } from "./run.ts";
import { tagBefore } from "./secrets.ts";
import { ask, isAttended } from "./values.ts";

/** The newest version with other code than the deployed one, and the number of secret changes since. */
function before(run: Run): { version: Version; secretsSince: number } {
  const { versions, active } = run.found;
  const tag = tagBefore(run);
  const deployed = versions.findLast((version) => version.tag === tag && version.number <= (active?.number ?? 0));
  const older = versions.filter(({ number }) => number < (deployed?.number ?? 0));
  const version = older.findLast(({ number }) => ![null, tag].includes(tagBefore(run, number)));
  if (version === undefined) {
    throw new StepFault(
      "Cloudflare lists no earlier version with other code",
      "check out the commit you want and deploy it",
    );
  }
  const since = versions.filter(({ number, tag: made }) => number > version.number && made === null);
  return { version, secretsSince: since.length };
}

export const rollback: Step = {
  name: "rollback",
  remedy:
    "Cloudflare cannot roll back past a Durable Objects migration; if that is the reason, deploy the older commit with the newer migrations",
  async check(run) {
    const { version, secretsSince } = before(run);
    const secrets = secretsSince === 0 ? "" : `; this also undoes later changes of secrets (${secretsSince})`;
    const tag = tagBefore(run, version.number);
    return { todo: `roll back to version ${version.id}, ${tag}, created ${version.created_on}${secrets}` };
  },
  async act(run) {
    const { id } = before(run).version;
    orFault(await run.wrangler(["rollback", id, "--yes", "--message", "npm run deploy -- --rollback"]));
    run.found.current = true;
    return `version ${id} is deployed; the database is unchanged`;
  },
};

const confirmed: Step = {
  name: "confirm",
  remedy: "type the Worker's name at the prompt, or pass it with --name",
  async check({ flags, target: { worker }, found }) {
    if (!flags.yes) return { later: `you must confirm with the Worker's name, ${worker}` };
    if (found.versions.length === 0) return { done: "the Worker does not exist" };
    const name = flags.name === "" && isAttended() ? await ask(`Type ${worker} to delete this Worker`) : flags.name;
    if (name !== worker) throw new StepFault("not confirmed; nothing was deleted", `pass --name ${worker}`);
    return { done: `confirmed by the name ${worker}` };
  },
};

const worker: Step = {
  name: "delete Worker",
  remedy: "check that the login or API token has the permission Workers Scripts:Edit",
  check: async ({ found, target }) =>
    found.versions.length === 0
      ? { done: "does not exist" }
      : { todo: `delete ${target.worker}, its URL, secrets, and Durable Objects with batches and dead letters` },
  async act({ wrangler, values }) {
    orFault(await wrangler(["delete", "--force"]));
    values.forget();
    return "deleted";
  },
};

const detached = (queue: string): Step => ({
  name: `detach ${queue}`,
  remedy: "check that the login or API token has the permission Queues:Edit",
  async check(run) {
    await readQueue(run, queue);
    return run.found.consumed.has(queue) ? { todo: "remove the Worker as its consumer" } : { done: "has no consumer" };
  },
  async act({ wrangler, target }) {
    orFault(await wrangler(["queues", "consumer", "remove", queue, target.worker]));
    return "has no consumer";
  },
});

const deleted = (queue: string): Step => ({
  name: `delete ${queue}`,
  remedy: "check that the login or API token has the permission Queues:Edit",
  check: async ({ found }) =>
    found.queues.has(queue)
      ? { todo: "delete the queue and its rows that are not in the database yet" }
      : { done: "does not exist" },
  async act({ wrangler }) {
    orFault(await wrangler(["queues", "delete", queue]));
    return "deleted";
  },
});

/** @returns the steps that delete what a deploy created, except the database */
export const destroySteps = (queues: readonly string[]): Step[] => [
  confirmed,
  ...queues.map(detached),
  worker,
  ...queues.map(deleted),
];
