// Resolves the preset that JUDGE names, and starts the simulator that answers its questions.
import { extractCandidate } from "../../src/core/candidate/extract.ts";
import { createPreparer } from "../../src/core/candidate/prepare.ts";
import type { Group } from "../../src/core/contract/group.ts";
import { isDecision } from "../../src/core/contract/prompt-name.ts";
import { nearest } from "../../src/core/faults/suggestion.ts";
import { presetNamed } from "../../src/core/judges/presets/table.ts";
import { promptNames } from "../../src/core/judges/render.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { simulatedName } from "../../src/core/wire/simulated-model.ts";
import { agentGroup, agentTasks, readExample, sharesMet, textProblems } from "./examples.ts";

/**
 * The preset that JUDGE names; null without JUDGE.
 * @throws Error for an unknown name
 */
export function judgeNamed(name: string | undefined): string | null {
  if (!name) return null;
  const names = promptNames();
  if (names.includes(name)) return name;
  const near = nearest(name, names);
  const hint = near === null ? "" : ` Did you mean ${near}?`;
  throw new Error(`JUDGE: unknown preset ${name}.${hint} Presets: ${names.join(", ")}`);
}

/** Like `judgeNamed`, but accepts only presets that judge texts. */
export function textJudge(name: string | undefined): string | null {
  const judge = judgeNamed(name);
  if (judge === null || presetNamed(judge) !== null) return judge;
  throw new Error(
    `JUDGE: ${judge} judges programs. Run the demo without JUDGE for programs, or name a preset for texts`,
  );
}

const MODEL = "sim-14b";
/** Each answer is one stream event, because no reader watches it. */
const STREAM_TOKENS = 4_096;

/** Simulates a decision model that knows the examples' labels and rates other texts by a hash. */
async function startSimulatedDecisions(name: string) {
  const rates = exampleRates();
  const [{ startDecisionSimulator }, { hashText }] = await Promise.all([
    import("./decision-simulator.ts"),
    import("../../src/core/math/random.ts"),
  ]);
  const strengthOf = (text: string) => {
    const rate = rates[text.trim()] ?? hashText("simulated", text)[0] / 2 ** 32;
    return SCALE * (rate - 0.5);
  };
  const model = simulatedName("decisions");
  const { url, close } = await startDecisionSimulator(strengthOf, model);
  return {
    name: `simulated ${name}: its verdicts are made up`,
    vars: { VERIFIER_URL: url, VERIFIER_PROTOCOL: "decision", VERIFIER_API: "systemone", VERIFIER_MODEL: model },
    close,
  };
}
/** Strength of a right answer minus that of a wrong one: a probability of 98 %. */
const SCALE = 4;

/** Starts the engine simulator, which knows the labels of the committed examples. */
export async function startSimulatedJudge(name: string) {
  if (isDecision(name)) return startSimulatedDecisions(name);
  const { startSimulator } = await import("../../gpu-backend/engines/simulator/server.ts");
  const { url, close } = await startSimulator({
    model: MODEL,
    scale: "instant",
    stream_tokens: STREAM_TOKENS,
    rates: exampleRates(),
  });
  return {
    name: `simulated ${name}: its verdicts are made up`,
    vars: { VERIFIER_URL: url, VERIFIER_MODEL: simulatedName(MODEL), VERIFIER_SIMULATED: "on" },
    close,
  };
}

/** The examples' pass rates, by the whole text and by the program in it. */
function exampleRates(): Record<string, number> {
  const groups: Group[] = readExample("groups.json");
  const programs = groups.flatMap(({ rollouts }) =>
    rollouts.flatMap(({ text, pass_rate = 0 }) => {
      const { candidate } = extractCandidate(text, { extract: "last_code_block" }, null);
      return [text, candidate].flatMap((content) => (content === null ? [] : [[content.trim(), pass_rate] as const]));
    }),
  );
  const texts = textProblems().flatMap((problem) =>
    sharesMet(problem).map((share, i) => [(problem.answers[i] as { text: string }).text.trim(), share] as const),
  );
  return { ...Object.fromEntries([...programs, ...texts]), ...runLabels() };
}

/** Whether the preset judges agent runs, which the demo then shows. */
export const judgesRuns = (judge: string): boolean => judge === "trajectory-pair";

/** The labels of the recorded runs, by the text that a judge sees: turns or diffs. */
export function runLabels(): Record<string, number> {
  const shown = (["whole", "diff"] as const).flatMap((extract) => {
    const prepare = createPreparer({ candidate: { extract }, formats: {} });
    const tasks = agentTasks().filter(
      ({ runs }) => extract === "whole" || runs.every(({ files }) => files !== undefined),
    );
    return RewardsRequestSchema.parse({ groups: tasks.map(agentGroup) }).groups.flatMap((group, g) =>
      prepare(group, g).candidates.map((text, r) => [(text ?? "").trim(), group.rollouts[r]?.pass_rate ?? 0] as const),
    );
  });
  // An empty diff is the same text for several runs.
  return Object.fromEntries(shown.filter(([text]) => text !== ""));
}
