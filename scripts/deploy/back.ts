// The steps that undo: the version before answers again, or all is deleted.

import { readQueue } from "./account.ts";
import { orFault, type Run, type Step, StepFault, type Version } from "./run.ts";
import { tagBefore } from "./secrets.ts";
import { ask, isAttended } from "./values.ts";

/** The newest version of other code, before the first of the code that answers. */
function before(run: Run): { version: Version; secretsSince: number } {
  const { versions, active } = run.found;
  const tag = tagBefore(run);
  const deployed = versions.findLast((version) => version.tag === tag && version.number <= (active?.number ?? 0));
  const older = versions.filter(({ number }) => number < (deployed?.number ?? 0));
  const version = older.findLast(({ number }) => ![null, tag].includes(tagBefore(run, number)));
  if (version === undefined) {
    throw new StepFault("Cloudflare lists no version of other code", "deploy the commit that is wanted");
  }
  const since = versions.filter(({ number, tag: made }) => number > version.number && made === null);
  return { version, secretsSince: since.length };
}

export const rollback: Step = {
  name: "rollback",
  remedy:
    "Cloudflare does not go back over a migration of Durable Objects: then deploy the older commit with those migrations",
  async check(run) {
    const { version, secretsSince } = before(run);
    const secrets = secretsSince === 0 ? "" : `; secrets were set ${secretsSince} times since, which goes back too`;
    return { todo: `version ${version.id}, ${tagBefore(run, version.number)}, of ${version.created_on}${secrets}` };
  },
  async act(run) {
    const { id } = before(run).version;
    orFault(await run.wrangler(["rollback", id, "--yes", "--message", "npm run deploy -- --rollback"]));
    run.found.current = true;
    return `${id} answers; the database stays as it is`;
  },
};

const confirmed: Step = {
  name: "confirm",
  remedy: "type the Worker's name when asked, or give it: --name",
  async check({ flags, target: { worker }, found }) {
    if (!flags.yes) return { later: `its name, ${worker}, is asked for` };
    if (found.versions.length === 0) return { done: "the Worker is gone already" };
    const name = flags.name === "" && isAttended() ? await ask(`Type ${worker} to delete it`) : flags.name;
    if (name !== worker) throw new StepFault("not confirmed; nothing was deleted", `give --name ${worker}`);
    return { done: `${worker} was named` };
  },
};

const worker: Step = {
  name: "delete Worker",
  remedy: "look at what the login may do",
  check: async ({ found, target }) =>
    found.versions.length === 0
      ? { done: "gone" }
      : { todo: `${target.worker}, its address, secrets, and Durable Objects with batches and dead letters` },
  async act({ wrangler, values }) {
    orFault(await wrangler(["delete", "--force"]));
    values.forget();
    return "deleted";
  },
};

const detached = (queue: string): Step => ({
  name: `detach ${queue}`,
  remedy: "look at what the login may do (Queues:Edit)",
  async check(run) {
    await readQueue(run, queue);
    return run.found.consumed.has(queue) ? { todo: "the Worker no longer reads it" } : { done: "nothing reads it" };
  },
  async act({ wrangler, target }) {
    orFault(await wrangler(["queues", "consumer", "remove", queue, target.worker]));
    return "nothing reads it";
  },
});

const deleted = (queue: string): Step => ({
  name: `delete ${queue}`,
  remedy: "look at what the login may do (Queues:Edit)",
  check: async ({ found }) =>
    found.queues.has(queue) ? { todo: "the queue, and rows on it that are not in the database yet" } : { done: "gone" },
  async act({ wrangler }) {
    orFault(await wrangler(["queues", "delete", queue]));
    return "deleted";
  },
});

/** @returns the steps that delete what a deploy made; the database is not touched */
export const destroySteps = (queues: readonly string[]): Step[] => [
  confirmed,
  ...queues.map(detached),
  worker,
  ...queues.map(deleted),
];
