// `npm run deploy`: which steps a call is, and what they are run with.
import { commandFlags } from "../command-line/flags.ts";
import { account, present, queues, worker } from "./account.ts";
import { destroySteps, rollback } from "./back.ts";
import { BUILDER_STEPS } from "./builder.ts";
import { retire, rotate } from "./keys.ts";
import { sayPlan } from "./plan.ts";
import { deploy, ready, reward, sayLines } from "./release.ts";
import { type Run, runSteps, type Step } from "./run.ts";
import { database, secrets, settings } from "./secrets.ts";
import { type Target, targetOf } from "./target.ts";
import { Values } from "./values.ts";
import { wrangler } from "./wrangler.ts";

const { env, name, url, wait, set, notes, ...flags } = commandFlags({
  command: "deploy",
  description:
    "Deploys to Cloudflare Workers, step by step (docs/deploy.md). Without --yes it only says what it would do. What is done already is left alone, so after a failure the same command goes on. Exit status: 0, or 1 where a step failed.",
  numbers: { wait: { min: 0, max: 3_600, value: 120, help: "seconds that /readyz and the log are waited for" } },
  texts: {
    env: { value: "", fault: unknownEnv, help: "an environment of wrangler.toml, like staging" },
    url: { value: "", fault: webFault, help: "where it answers, if not where wrangler says: your domain" },
    "rotate-key": { value: "", help: "makes a second key of this name; the first goes on working" },
    "retire-key": { value: "", help: "takes the older key of this name away" },
    name: { value: "", help: "with --destroy: the Worker's name, in place of the question" },
    set: { value: "", help: "secrets to set anew, by name: DATABASE_URL,VERIFIER_URL" },
    notes: { value: ".deployed.json", help: "where addresses and digests of keys are noted" },
  },
  switches: {
    yes: "does it",
    rollback: "lets the version before answer again",
    destroy: "deletes the Worker and its queues; the database stays",
  },
  variables: {
    CLOUDFLARE_ACCOUNT_ID: "which account, where the login has several",
    CLOUDFLARE_API_TOKEN: "who deploys, where nobody can log in",
    DATABASE_URL: "Neon's pooled connection string",
    VERIFIER_URL: "the judge, with VERIFIER_MODEL, VERIFIER_PROTOCOL, VERIFIER_API_KEY",
    KRITAI_API_KEY: "a key, for the group that is scored",
    "…": "the Worker's others: docs/variables.md; all may stand in .dev.vars",
  },
});

function unknownEnv(text: string): string | null {
  try {
    targetOf(text);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

function webFault(text: string): string | null {
  return /^https?:\/\//.test(text) && URL.canParse(text) ? null : "must be an http or https URL";
}

/** Set by Cloudflare's builder: what a push or a deploy button ends in. */
const inBuilder = process.env.WORKERS_CI === "1";

function stepsOf(target: Target): readonly Step[] {
  if (inBuilder) return BUILDER_STEPS;
  if (flags["rotate-key"] !== "") return [account, present, rotate(flags["rotate-key"])];
  if (flags["retire-key"] !== "") return [account, present, retire(flags["retire-key"])];
  if (flags.rollback) return [account, present, rollback, ready];
  if (flags.destroy) return [account, worker, ...destroySteps(target.queues)];
  return [account, worker, settings, ...queues(target.queues), database, secrets, deploy, ready, reward];
}

/** The typed arguments that say what to do, to be typed again. */
const asked = [
  ["env", env],
  ["url", url],
  ["rotate-key", flags["rotate-key"]],
  ["retire-key", flags["retire-key"]],
].flatMap(([flag, value]) => (value === "" ? [] : [`--${flag} ${value}`]));
const switched = [...(flags.rollback ? ["--rollback"] : []), ...(flags.destroy ? ["--destroy"] : [])];

const target = targetOf(env);
const run: Run = {
  target,
  values: new Values(target, notes),
  flags: { yes: flags.yes || inBuilder, url, wait, set: set.split(",").filter((word) => word !== ""), name },
  wrangler: (args, input) => wrangler({ env, account: run.found.account }, args, input),
  say: (line) => console.log(line),
  command(more) {
    const args =
      more === undefined ? [...asked, ...switched] : [...asked.filter((text) => !text.includes("-key ")), more];
    return ["npm run deploy --", ...args, "--yes"].join(" ");
  },
  found: {
    account: "",
    secrets: new Set(),
    versions: [],
    active: null,
    queues: new Set(),
    consumed: new Set(),
    current: false,
    key: process.env.KRITAI_API_KEY ?? "",
  },
};
const steps = stepsOf(target);
if (!run.flags.yes && steps.includes(deploy)) sayPlan(run);
process.exitCode = await runSteps(steps, run);
if (process.exitCode === 0 && !inBuilder && !flags.destroy) sayLines(run);
