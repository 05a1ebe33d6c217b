// Defines what a dry run says before anybody is logged in: names, bindings, secrets, migrations and the
// price. Makes no request, and never shows a secret's value.
import { readFileSync } from "node:fs";
import { WORKERS_AI_MODEL } from "../../src/env.ts";
import { ROOT } from "../project/child.ts";
import { OBJECTS } from "../stack/edge.ts";
import { migrationFiles } from "../stack/migrations.ts";
import { REQUIRED } from "./account.ts";
import type { Run } from "./run.ts";
import { changedVars, MADE, protocolOf, WORKERS_AI } from "./secrets.ts";

/** The list that `npm run lab -- cost` computes with. */
function planPrice(): string {
  const { currency, read_on, prices } = JSON.parse(readFileSync(`${ROOT}lab/cost/prices.json`, "utf8")) as {
    currency: string;
    read_on: string;
    prices: { workers_plan: { price: number; unit: string } };
  };
  const { price, unit } = prices.workers_plan;
  return `Workers Paid is ${price} ${currency} a ${unit} (read on ${read_on})`;
}

/** Who judges. */
function judgeLine({ values, target }: Pick<Run, "target" | "values">): string {
  const url = values.get("VERIFIER_URL");
  if (url !== undefined || protocolOf({ values, target }) !== WORKERS_AI) {
    const instead = "or none: VERIFIER_PROTOCOL=decision npm run deploy takes Workers AI, without a GPU";
    return url === undefined ? `the server of VERIFIER_URL; ${instead}` : `${protocolOf({ values, target })} at a URL`;
  }
  const model = values.get("VERIFIER_MODEL") ?? WORKERS_AI_MODEL;
  return `Workers AI through the binding AI, ${model}; its input tokens are billed to your account`;
}

/** The plan's lines: a subject and its text. */
function planLines({ target, values }: Pick<Run, "target" | "values">): [string, string][] {
  const protocol = protocolOf({ values, target });
  const workersAi = protocol === WORKERS_AI && values.get("VERIFIER_URL") === undefined;
  const judge = workersAi ? [] : ["VERIFIER_URL", ...(protocol === "openai" ? ["VERIFIER_MODEL"] : [])];
  const needed = [...REQUIRED, ...judge].filter((name) => !MADE.includes(name));
  const given = Object.keys(values.given()).filter((name) => !(name in target.vars));
  const missing = needed.filter((name) => !given.includes(name));
  const secrets = [
    `make ${MADE.join(", ")}`,
    ...(given.length === 0 ? [] : [`set ${given.join(", ")}`]),
    ...(missing.length === 0 ? [] : [`missing here: ${missing.join(", ")}`]),
  ];
  const migrations = migrationFiles();
  const faults = values.faults();
  return [
    ["Worker", `${target.worker}, with its pages and an hourly clean-up`],
    ["judge", judgeLine({ values, target })],
    ["bindings", `Durable Objects ${Object.keys(OBJECTS).join(", ")}; queues ${target.queues.join(", ")}`],
    [
      "variables",
      Object.entries({ ...target.vars, ...changedVars({ values, target }) })
        .map(([name, value]) => `${name}=${value}`)
        .join(", "),
    ],
    ["secrets", secrets.join("; ")],
    ["migrations", `at most ${migrations.length}, in one transaction: ${migrations.join(", ")}`],
    ["cost", `${planPrice()}; Neon and ${workersAi ? "the tokens" : "GPUs"} come on top: npm run lab -- cost`],
    ...faults.map((fault): [string, string] => ["wrong", fault]),
  ];
}

/** Says the plan of a first deployment. */
export function sayPlan(run: Pick<Run, "target" | "values" | "say">): void {
  const lines = planLines(run);
  const width = Math.max(...lines.map(([name]) => name.length));
  run.say("The plan (--yes carries it out):");
  for (const [name, text] of lines) run.say(`  ${name.padEnd(width)}  ${text}`);
}
