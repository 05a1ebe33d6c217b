// `npm run deploy`: selects the steps for the given flags and runs them.
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
    "Deploys to Cloudflare Workers, step by step (docs/deploy.md). Without --yes it only prints what it would do. It skips steps that are already done, so after a failure you can repeat the command. Exit status: 0, or 1 if a step failed.",
  numbers: { wait: { min: 0, max: 3_600, value: 120, help: "seconds to wait for /readyz and for the log" } },
  texts: {
    env: { value: "", fault: unknownEnv, help: "an environment in wrangler.toml, such as staging" },
    url: {
      value: "",
      fault: webFault,
      help: "the deployment's URL, if it differs from the one that wrangler prints, such as your domain",
    },
    "rotate-key": { value: "", help: "adds a second API key of this name; the first keeps working" },
    "retire-key": { value: "", help: "removes the older API key of this name" },
    name: { value: "", help: "with --destroy: the Worker's name, to confirm without a prompt" },
    set: { value: "", help: "names of secrets to overwrite, such as DATABASE_URL,VERIFIER_URL" },
    notes: { value: ".deployed.json", help: "the file that remembers deployment URLs and key digests" },
  },
  switches: {
    yes: "carries out the steps",
    "dry-run": "prints only the plan: needs no login and no network, and ignores --yes",
    rollback: "rolls back to the previous version",
    destroy: "deletes the Worker and its queues, but not the database",
  },
  variables: {
    CLOUDFLARE_ACCOUNT_ID: "the account to deploy to, if the login has several",
    CLOUDFLARE_API_TOKEN: "an API token, for machines without a wrangler login, such as CI",
    DATABASE_URL: "Neon's pooled connection string",
    VERIFIER_URL: "the URL of the model that judges; see also VERIFIER_MODEL, VERIFIER_PROTOCOL, VERIFIER_API_KEY",
    KRITAI_API_KEY: "an API key of the deployment, to score a test group",
    "…": "other variables of the Worker: docs/variables.md. Worker variables can also be set in .dev.vars",
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

/** Set by Cloudflare's Workers Builds, which a push or a deploy button starts. */
const inBuilder = process.env.WORKERS_CI === "1";

function stepsOf(target: Target): readonly Step[] {
  if (inBuilder) return BUILDER_STEPS;
  if (flags["rotate-key"] !== "") return [account, present, rotate(flags["rotate-key"])];
  if (flags["retire-key"] !== "") return [account, present, retire(flags["retire-key"])];
  if (flags.rollback) return [account, present, rollback, ready];
  if (flags.destroy) return [account, worker, ...destroySteps(target.queues)];
  return [account, worker, settings, ...queues(target.queues), database, secrets, deploy, ready, reward];
}

/** The flags to repeat in the next command. */
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
  flags: {
    yes: (flags.yes || inBuilder) && !flags["dry-run"],
    url,
    wait,
    set: set.split(",").filter((word) => word !== ""),
    name,
  },
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
const planOnly = flags["dry-run"] && steps.includes(deploy);
process.exitCode = planOnly ? 0 : await runSteps(steps, run);
if (process.exitCode === 0 && !planOnly && !inBuilder && !flags.destroy) sayLines(run);
