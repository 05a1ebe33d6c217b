// Deploy steps that check the Cloudflare account, the Worker of this name and its queues.
import { orFault, type Run, type Step, StepFault, type Version } from "./run.ts";
import { isTag } from "./target.ts";

const LOGIN = "run npx wrangler login, or set CLOUDFLARE_API_TOKEN (dash.cloudflare.com/profile/api-tokens)";

/** Errors of wrangler and Node without a connection. */
const OFFLINE = /fetch failed|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH/;
const ONLINE = "check the network and the proxy of this machine; it must reach api.cloudflare.com";

interface Whoami {
  accounts: { id: string; name: string }[];
}

/** Cloudflare's error code for a Worker that does not exist. */
const NO_WORKER = 10007;

export const account: Step = {
  name: "account",
  remedy: LOGIN,
  async check({ wrangler, found }) {
    const reply = await wrangler(["whoami", "--json"]);
    if (/"loggedIn": ?false/.test(reply.stdout + reply.reason)) throw new StepFault("not logged in to Cloudflare");
    if (OFFLINE.test(reply.reason)) throw new StepFault("cannot reach Cloudflare", ONLINE);
    const { accounts } = JSON.parse(orFault(reply).stdout) as Whoami;
    const { CLOUDFLARE_ACCOUNT_ID: wanted } = process.env;
    const list = accounts.map(({ id, name }) => `${id} (${name})`).join(", ");
    if (wanted !== undefined) {
      const chosen = accounts.find(({ id }) => id === wanted);
      if (chosen === undefined) {
        throw new StepFault(
          `CLOUDFLARE_ACCOUNT_ID is not an account of this login; its accounts are ${list}`,
          "set CLOUDFLARE_ACCOUNT_ID to one of these accounts",
        );
      }
      found.account = chosen.id;
      return { done: chosen.name };
    }
    if (accounts.length > 1) {
      throw new StepFault(
        `this login has ${accounts.length} accounts: ${list}`,
        "set CLOUDFLARE_ACCOUNT_ID to the account to deploy to",
      );
    }
    const [only] = accounts;
    if (only === undefined) throw new StepFault("this login has no Cloudflare account");
    found.account = only.id;
    return { done: only.name };
  },
};

/** Stores the Worker's versions, its deployed version and its secrets' names in `found`. */
async function readWorker({ wrangler, found }: Run): Promise<void> {
  const listed = await wrangler(["versions", "list", "--json"]);
  if (listed.code === NO_WORKER) return;
  type Listed = Omit<Version, "tag" | "created_on"> & {
    annotations?: Record<string, string>;
    metadata: { created_on: string };
  };
  const versions = (JSON.parse(orFault(listed).stdout) as Listed[]).sort((a, b) => a.number - b.number);
  found.versions = versions.map(({ id, number, annotations, metadata: { created_on } }) => {
    const tag = annotations?.["workers/tag"];
    return { id, number, tag: tag !== undefined && isTag(tag) ? tag : null, created_on };
  });
  const [status, secrets] = await Promise.all([
    wrangler(["deployments", "status", "--json"]),
    wrangler(["secret", "list"]),
  ]);
  const active = (JSON.parse(orFault(status).stdout) as { versions: { version_id: string }[] }).versions[0];
  found.active = found.versions.find(({ id }) => id === active?.version_id) ?? null;
  for (const { name } of JSON.parse(orFault(secrets).stdout) as { name: string }[]) found.secrets.add(name);
}

/** Secrets that every Kritai Worker has. */
export const REQUIRED = ["API_KEYS", "DATABASE_URL"] as const;

export const worker: Step = {
  name: "worker",
  remedy: "check the connection to api.cloudflare.com, and the permissions of the login or API token",
  async check(run) {
    await readWorker(run);
    const { target, found } = run;
    if (found.versions.length === 0) return { done: `the name ${target.worker} is free` };
    const ours = found.versions.some(({ tag }) => tag !== null) || REQUIRED.every((name) => found.secrets.has(name));
    if (!ours) {
      throw new StepFault(
        `the account has a Worker named ${target.worker} that is not Kritai`,
        "choose another name in wrangler.toml, or delete that Worker",
      );
    }
    return { done: `${target.worker} exists; versions listed: ${found.versions.length}` };
  },
};

/** Fails unless the Worker exists, for commands that change a deployment. */
export const present: Step = {
  ...worker,
  async check(run) {
    const state = await worker.check(run);
    if (run.found.versions.length === 0) {
      throw new StepFault(`${run.target.worker} is not deployed`, "check --env and the Cloudflare account");
    }
    return state;
  },
};

/** @returns one step per queue of the Worker */
export const queues = (names: readonly string[]): Step[] => names.map(queueStep);

/** Stores in `found` whether the queue exists and whether it has a consumer. */
export async function readQueue({ wrangler, found }: Run, queue: string): Promise<void> {
  const info = await wrangler(["queues", "info", queue]);
  if (info.reason.includes("does not exist")) return;
  orFault(info);
  found.queues.add(queue);
  if (/^Number of Consumers: [1-9]/m.test(info.stdout)) found.consumed.add(queue);
}

function queueStep(name: string): Step {
  return {
    name: `queue ${name}`,
    remedy: "check that the login or API token has the permission Queues:Edit, and that the plan allows another queue",
    async check(run) {
      await readQueue(run, name);
      return run.found.queues.has(name) ? { done: "exists" } : { todo: "create it" };
    },
    async act({ wrangler }) {
      const created = await wrangler(["queues", "create", name]);
      // Another run may have created the queue in the meantime.
      if (!created.reason.includes("already taken")) orFault(created);
      return "created";
    },
  };
}
