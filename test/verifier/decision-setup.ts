// Sets up the app over a decision model that reads the labelled answers of a state.
import type { DecisionSimulator } from "../../scripts/stack/decision-simulator.ts";
import type { AppDeps } from "../../src/api/door/deps.ts";
import type { DecisionApiName } from "../../src/core/wire/decision-apis.ts";
import { createVerifier } from "../../src/verifier/create.ts";
import { setUp } from "../api/routes/harness.ts";
import { clock } from "./setup.ts";

/** `answer 7` is stronger than `answer 3`. */
export const strengthOf = (text: string) => Number(/answer (\d+)/.exec(text)?.[1] ?? 0) / 4;
export const answers = (numbers: readonly number[]) => numbers.map((number) => ({ text: `answer ${number}` }));

export interface Rollout {
  reward: number | null;
  error: string | null;
  undecided: number;
}

export interface Judged {
  rewards: (number | null)[][];
  groups: { rollouts: Rollout[]; selected: number | null }[];
}

let made = 0;
/** The app with a separate backend, so that its failures do not slow other tests. */
export function appOver(model: DecisionSimulator, api: DecisionApiName = "systemone", more: Partial<AppDeps> = {}) {
  const url = api === "workers-ai" ? `${model.url}/accounts/1/ai` : model.url;
  const backend = { name: `lists-${made++}`, protocol: "decision", url, api, model: "@cf/cloudflare/clef" } as never;
  return setUp({ verifier: createVerifier([backend], { hedging: false }, clock), clock, ...more });
}

/** The faults and records of one simulator as they were at the start. */
export function forget(model: DecisionSimulator): void {
  for (const name of Object.keys(model.faults)) delete model.faults[name as keyof typeof model.faults];
  model.states.length = 0;
  model.questions.length = 0;
  model.images.length = 0;
}
