// Writes an example of agent runs into the log, so that a group's page has turns to show: recorded runs with
// made-up verdicts, which follow the runs' labels.
import { createRandom, hashText } from "../../src/core/math/random.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { SpecSchema } from "../../src/core/reward/signals-spec.ts";
import type { VerifierJob } from "../../src/core/wire/questions.ts";
import { agentGroup, agentTasks } from "./examples.ts";
import { runLabels } from "./judge.ts";
import { type ExamplePlace, type MadeUpRun, madeUpJudge, writeRun } from "./made-up-run.ts";

export const AGENTS_RUN = "example-agents";

/** The number of the last turn in the text that a judge sees. */
const lastTurn = (text: string): number => Number([...text.matchAll(/^\[TURN_(\d+)/gm)].at(-1)?.[1] ?? 1);

function verdict(labels: ReadonlyMap<string, number>) {
  return (job: VerifierJob, shown: readonly number[], sample: number) => {
    const [a, b] = shown.map((i) => job.candidates[i] as string) as [string, string];
    const [better, worse] = [a, b].map((text) => labels.get(text.trim()) ?? 0) as [number, number];
    const letter = better === worse ? "C" : better > worse ? "A" : "B";
    const share = (label: number) => `${Math.round(label * 100)} % of its points`;
    const why = `Made up, by labels that no judge sees: run A meets ${share(better)}, run B ${share(worse)}.`;
    const named = `"turn A": ${lastTurn(a)}, "turn B": ${lastTurn(b)}.`;
    return { answer: `${why} ${named} [[${letter}]]`, random: createRandom(hashText(a, b, sample)) };
  };
}

/** The recorded runs as a training run of one step. */
export function agentsRun(): MadeUpRun {
  const labels = new Map(Object.entries(runLabels()));
  const spec = SpecSchema.parse({
    candidate: { extract: "whole" },
    judge: { preset: "trajectory-pair" },
    log_texts: true,
    log_verdicts: true,
  });
  return {
    run_id: AGENTS_RUN,
    steps: 1,
    judge: madeUpJudge(verdict(labels)),
    requestAt: (step) => RewardsRequestSchema.parse({ run_id: AGENTS_RUN, step, groups: agentTasks().map(agentGroup) }),
    specAt: () => spec,
  };
}

/** Writes the run into the log, unless it is already there. @returns the number of steps written */
export const writeExampleAgents = (place: ExamplePlace): Promise<number> => writeRun(place, agentsRun());
