// The benchmark of a judge that thinks: CPU a comparison of both of the product's ways to an engine whose
// answers have 2,200 tokens, beside three floors, by how many tokens an event of its stream brings.
import type { WorkerModules } from "../../scripts/stack/worker-modules.ts";
import type { Backends } from "./edge-client.ts";
import { type Figure, figure } from "./figures.ts";
import type { Batch } from "./loads.ts";
import { closeAll, measure, ratiosOf, type Subject, startWays } from "./peers.ts";

/** Tokens an event: what engines do by default, what many set, what our launch scripts set. */
const TOKENS_AN_EVENT = [1, 16, 256];
const WAYS = { direct: "edge, openai", gateway: "edge and gateway" } as const;

/** In the mock all events of an answer leave at once: engines cost more, a wake an event. */
export async function benchThinking(
  script: WorkerModules,
  backends: Backends,
  batch: Batch,
  rounds: number,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const tokens of TOKENS_AN_EVENT) {
    const url = `${backends.verifier.VERIFIER_URL}/thinking-${tokens}`;
    const verifier = { ...backends.verifier, VERIFIER_URL: url };
    const subjects: Subject[] = [];
    const { cpu } = await startWays(subjects, script, { verifier, question: backends.question }, batch)
      .then(() => measure(subjects, rounds))
      .finally(() => closeAll(subjects));
    const label = `${tokens} per event`;
    figures.push(
      ...[...cpu].map(([name, values]) => {
        const goal = name === WAYS.gateway ? { max: 0.7 } : null;
        return figure(`${label}: ${name}`, "CPU ms/comparison", goal, [...values]);
      }),
      figure(`${label}: edge, openai / a bare Worker`, "ratio", null, ratiosOf(cpu, WAYS.direct, "a bare Worker")),
      figure(
        `${label}: edge, openai / a frank Worker`,
        "ratio",
        { max: 1.6 },
        ratiosOf(cpu, WAYS.direct, "a frank Worker"),
      ),
      figure(`${label}: gateway / a bare Node process`, "ratio", null, ratiosOf(cpu, "gateway", "a bare Node process")),
    );
  }
  return figures;
}
