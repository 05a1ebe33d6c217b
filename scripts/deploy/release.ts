// The steps that bring the code up and try it: deploy, wait until it is ready, have a group scored.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { RewardsReply } from "../../src/core/contract/replies.ts";
import type { Group } from "../../src/core/contract/requests.ts";
import type { RunSummary } from "../../src/ports/logged-rows.ts";
import { ROOT } from "../project/child.ts";
import { deploymentReply } from "../stack/deployment-reply.ts";
import { readExample } from "../stack/examples.ts";
import { orFault, type Run, type Step, StepFault } from "./run.ts";
import { changedVars, tagBefore } from "./secrets.ts";
import { contentTag } from "./target.ts";
import type { WranglerReply } from "./wrangler.ts";

/** Refusals that Cloudflare's own words do not help with: what a person does, by the error's code. */
const DEPLOY_REMEDIES: Readonly<Record<number, string>> = {
  100328:
    "Kritai needs the Workers Paid plan (CPU time and subrequests): dash.cloudflare.com/?to=/:account/workers/plans",
  10027: "the bundle is larger than the account's plan allows: look at the plan, and at npm run check -- deploy",
  10063: "open Workers & Pages in the dashboard once, which gives the account its workers.dev subdomain",
};

const version = () => JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")).version as string;

/** Deploys with the content's tag. @throws StepFault where it is refused */
export async function deployNow(run: Run): Promise<WranglerReply> {
  const vars = changedVars(run);
  const tag = await contentTag(run.target.env, vars);
  const set = Object.entries(vars).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
  const reply = await run.wrangler(["deploy", "--tag", tag, "--message", `kritai ${version()}`, ...set]);
  return orFault(reply, DEPLOY_REMEDIES[reply.code ?? 0] ?? null);
}

export const deploy: Step = {
  name: "deploy",
  remedy: "what was uploaded stays and is harmless; look at the reason, and at npm run check -- deploy",
  async check(run) {
    const { found, target } = run;
    if (!found.current) return { todo: found.active === null ? "the first version" : "a new version" };
    // A deploy that was cut off may have left its version without its queues.
    const unread = target.queues.filter((queue) => !found.consumed.has(queue));
    if (unread.length > 0) return { todo: `once more, for nothing reads ${unread.join(", ")}` };
    return { done: `${tagBefore(run)} is what the sources are` };
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

/** Which parts are not ready, with their own words. */
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
    return "no answer of a Kritai";
  }
}

export const ready: Step = {
  name: "ready",
  remedy:
    "a wrong secret is set anew by its value in the environment and --set NAME; a new address under workers.dev takes a minute",
  async check(run) {
    const url = addressOf(run);
    if (!run.found.current) return { later: "/readyz, after that" };
    if (url === "") throw new StepFault("its address is not known on this machine", "give --url https://…");
    const until = performance.now() + run.flags.wait * 1000;
    for (;;) {
      const reason = await unready(url);
      if (reason === null) return { done: `${url}/readyz answers 200` };
      if (performance.now() >= until) throw new StepFault(`${url}/readyz: ${reason}`);
      await sleep(PROBE_MS);
    }
  },
};

/** The example of the demo, as small as a group can be. */
function exampleGroup(): Group {
  const [group] = readExample("groups.json") as [Group];
  return { ...group, rollouts: group.rollouts.slice(0, 2) };
}

/** The run of this content in the log: what was scored once is not sent again. */
const runName = async (run: Run) => (await contentTag(run.target.env, changedVars(run))).replace("kritai-", "deploy-");

export const reward: Step = {
  name: "reward",
  remedy: "look at /readyz and at the judge; the Worker explains the code at /docs/errors",
  async check(run) {
    const { found } = run;
    if (!found.current) return { later: "one group, after that" };
    if (found.key === "") return { done: "not tried: KRITAI_API_KEY, the key that was shown, is not given" };
    const target = { target: addressOf(run), key: found.key };
    const known = await deploymentReply<RunSummary>(target, "GET", `/v1/runs/${await runName(run)}`).catch(
      (error: Error) => {
        if (error.message.includes(": 404 ")) return null;
        throw error;
      },
    );
    return known?.reward_mean != null
      ? { done: "a group was scored and logged" }
      : { todo: "have one group scored, and see it in the log" };
  },
  async act(run) {
    const target = { target: addressOf(run), key: run.found.key };
    const body = { run_id: await runName(run), step: 0, groups: [exampleGroup()] };
    const reply = await deploymentReply<RewardsReply>(target, "POST", "/v1/rewards", body);
    const rewards = reply.rewards[0] ?? [];
    const failed = reply.groups[0]?.rollouts.find(({ error }) => error !== null)?.error;
    if (failed != null) throw new StepFault(`the group was not scored: ${JSON.stringify(failed)}`);
    const until = performance.now() + run.flags.wait * 1000;
    for (;;) {
      const stored = await deploymentReply(target, "GET", `/v1/requests/${reply.request_id}`).catch(() => null);
      if (stored !== null) return `rewards ${rewards.join(" and ")}, logged as ${reply.request_id}`;
      if (performance.now() >= until) {
        throw new StepFault(`rewards ${rewards.join(" and ")} came, but the log has no ${reply.request_id} yet`);
      }
      await sleep(PROBE_MS);
    }
  },
};

/** Where to go on from a deployment that answers. */
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
