// A chaos run's report as Markdown.
import { cpus } from "node:os";
import { commit } from "../../scripts/stack/commit.ts";
import { KINDS } from "./jobs.ts";
import { PART_NAMES } from "./parts.ts";
import type { ChaosResult } from "./run.ts";

const VIOLATIONS_SHOWN = 50;

const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]) =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");

/** The run in one page: kills, requests, results. */
export function chaosReport(
  run: { seed: number; minutes: number; clients: number },
  { findings, asked, answers, kills }: ChaosResult,
): string {
  const { violations, equal, partial, nulls, requests, unreceived, repeated } = findings;
  const kinds = KINDS.map((kind) => {
    const kindAnswers = answers.filter(({ job }) => job.kind === kind);
    const tries = kindAnswers.reduce((sum, answer) => sum + answer.tries, 0);
    return [
      kind,
      asked.filter((job) => job.kind === kind).length,
      kindAnswers.length,
      tries,
      kindAnswers.filter(({ accepted }) => accepted).length,
    ];
  });
  const missing = Object.entries(nulls).map(([code, count]) => [`null, \`${code}\``, count]);
  const shown = violations.slice(0, VIOLATIONS_SHOWN).map((violation) => `- ${violation}`);
  return `# Chaos, seed ${run.seed}

\`npm run lab -- chaos --seed ${run.seed} --minutes ${run.minutes} --clients ${run.clients}\` at ${commit()}, ${new Date().toISOString()}, on ${cpus().length} cores of ${cpus()[0]?.model ?? "an unknown CPU"}.

${table(
  ["part", "killed with SIGKILL"],
  PART_NAMES.map((name) => [name, kills[name]]),
)}

${table(["request type", "requests", "one final answer", "tries", "accepted with 202"], kinds)}

${table(["rollouts", "count"], [["equal to the fault-free answer", equal], ["from the decided comparisons only (`undecided` counts the others)", partial], ...missing])}

The log contains ${requests} requests of these clients; the replies of ${unreceived} of them were lost in transit and requested again. ${repeated} complete replies were requested once more under their Idempotency-Key.

${violations.length === 0 ? "***No reward was lost, duplicated or wrong.**" : `**${violations.length} violations**\n\n${shown.join("\n")}`}
`;
}
