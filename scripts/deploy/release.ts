// Deploy steps that upload the code, wait until it is ready and score a test group.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Group } from "../../src/core/contract/group.ts";
import type { RewardsReply } from "../../src/core/contract/rewards-reply.ts";
import type { RunSummary } from "../../src/ports/logged-rows.ts";
import { ROOT } from "../project/child.ts";
import { deploymentReply } from "../stack/deployment-reply.ts";
import { readExample } from "../stack/examples.ts";
import { orFault, type Run, type Step, StepFault } from "./run.ts";
import { changedVars, tagBefore } from "./secrets.ts";
import { contentTag } from "./target.ts";
import type { WranglerReply } from "./wrangler.ts";

/** What to do about Cloudflare errors whose message does not say so, by error code. */
const DEPLOY_REMEDIES: Readonly<Record<number, string>> = {
  100328:
    "Kritai needs the Workers Paid plan (CPU time and subrequests): dash.cloudflare.com/?to=/:account/workers/plans",
  10027: "the bundle is larger than the account's plan allows; npm run check -- deploy prints its size",
  10063: "open Workers & Pages in the dashboard once; this creates the account's workers.dev subdomain",
};

const version = () => JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")).version as string;

/** Deploys the Worker, tagged with its content. @throws StepFault if Cloudflare refuses it */
export async function deployNow(run: Run): Promise<WranglerReply> {
  const vars = changedVars(run);
  const tag = await contentTag(run.target.env, vars);
  const set = Object.entries(vars).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
  const reply = await run.wrangler(["deploy", "--tag", tag, "--message", `kritai ${version()}`, ...set]);
  return orFault(reply, DEPLOY_REMEDIES[reply.code ?? 0] ?? null);
}

export const deploy: Step = {
  name: "deploy",
  remedy: "fix the error above; npm run check -- deploy builds without deploying. Files already uploaded are harmless",
  async check(run) {
    const { found, target } = run;
    if (!found.current) return { todo: `deploy ${found.active === null ? "the first" : "a new"} version` };
    // An interrupted deploy may have left its version without queue consumers.
    const unread = target.queues.filter((queue) => !found.consumed.has(queue));
    if (unread.length > 0) return { todo: `deploy again, because no Worker consumes ${unread.join(", ")}` };
    return { done: `${tagBefore(run)} is deployed and matches the sources` };
  },
  async act(run) {
    const { addresses } = await deployNow(run);
    const url = run.flags.url || addresses[0];
    if (url !== undefined) run.values.note({ url });
    run.found.current = true;
    return `version ${await contentTag(run.target.env, changedVars(run))}${url === undefined ? "" : ` at ${url}`}`;
  },
};

const addressOf = ({ flags, values }: Run) => (flags.url || values.notes().url || "").replace(/\/+$/, "");

const PROBE_MS = 500;

/** Why the deployment is not ready, by part; null when it is ready. */
async function unready(url: string): Promise<string | null> {
  try {
    const reply = await fetch(`${url}/readyz`);
    if (reply.ok) return null;
    const { checks = {}, detail } = (await reply.json()) as {
      checks?: Record<string, { ok: boolean; detail?: string }>;
      detail?: string;
    };
    const parts = Object.entries(checks).flatMap(([name, { ok, detail: why }]) =>
      ok ? [] : [`${name}: ${why ?? ""}`],
    );
    return `${detail ?? reply.status} ${parts.join("; ")}`.trim();
  } catch {
    return "no reply, or not a reply from Kritai";
  }
}

export const ready: Step = {
  name: "ready",
  remedy:
    "to replace a wrong secret, set its value in the environment and pass --set NAME; a new workers.dev address takes a minute to respond",
  async check(run) {
    const url = addressOf(run);
    if (!run.found.current) return { later: "check /readyz after the deploy" };
    if (url === "") throw new StepFault("this machine does not know the deployment's URL", "pass --url https://…");
    const until = performance.now() + run.flags.wait * 1000;
    for (;;) {
      const reason = await unready(url);
      if (reason === null) return { done: `${url}/readyz answers 200` };
      if (performance.now() >= until) throw new StepFault(`${url}/readyz: ${reason}`);
      await sleep(PROBE_MS);
    }
  },
};

/** The demo's first group, cut to two rollouts, the smallest group. */
function exampleGroup(): Group {
  const [group] = readExample("groups.json") as [Group];
  return { ...group, rollouts: group.rollouts.slice(0, 2) };
}

/** The run id for this content, so that a repeated deploy does not score the test group again. */
const runName = async (run: Run) => (await contentTag(run.target.env, changedVars(run))).replace("kritai-", "deploy-");

export const reward: Step = {
  name: "reward",
  remedy: "check /readyz and the judge; the deployment's page /docs/errors explains the error code",
  async check(run) {
    const { found } = run;
    if (!found.current) return { later: "score a test group after the deploy" };
    if (found.key === "")
      return { done: "skipped; to score a test group, set KRITAI_API_KEY to an API key of the deployment" };
    const target = { target: addressOf(run), key: found.key };
    const known = await deploymentReply<RunSummary>(target, "GET", `/v1/runs/${await runName(run)}`).catch(
      (error: Error) => {
        if (error.message.includes(": 404 ")) return null;
        throw error;
      },
    );
    return known?.reward_mean != null
      ? { done: "a test group was scored and logged" }
      : { todo: "score a test group and read it back from the log" };
  },
  async act(run) {
    const target = { target: addressOf(run), key: run.found.key };
    const body = { run_id: await runName(run), step: 0, groups: [exampleGroup()] };
    const reply = await deploymentReply<RewardsReply>(target, "POST", "/v1/rewards", body);
    const rewards = reply.rewards[0] ?? [];
    const failed = reply.groups[0]?.rollouts.find(({ error }) => error !== null)?.error;
    if (failed != null) throw new StepFault(`the test group was not scored: ${JSON.stringify(failed)}`);
    const until = performance.now() + run.flags.wait * 1000;
    for (;;) {
      const stored = await deploymentReply(target, "GET", `/v1/requests/${reply.request_id}`).catch(() => null);
      if (stored !== null) return `rewards ${rewards.join(" and ")}, logged as ${reply.request_id}`;
      if (performance.now() >= until) {
        throw new StepFault(`got rewards ${rewards.join(" and ")}, but ${reply.request_id} is not in the log yet`);
      }
      await sleep(PROBE_MS);
    }
  },
};

/** Prints how to use the deployment. */
export function sayLines(run: Run): void {
  const url = addressOf(run);
  if (!run.found.current || url === "") return;
  run.say(`
trainer   kritai_reward("${url}")    # from kritai.shims.trl_reward, with KRITAI_API_KEY in its environment
reranker  curl ${url}/v2/rerank -H "Authorization: Bearer $KRITAI_API_KEY" -H 'content-type: application/json' -d '{"model": "default", "query": "…", "documents": ["…", "…"]}'
runs      ${url}/runs
docs      ${url}/docs
`);
}
