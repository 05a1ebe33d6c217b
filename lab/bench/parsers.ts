// Measures the parsers of judges' answers: CPU microseconds a short answer in Node.
import { segmentOf } from "../../src/core/judges/parsers/answer-text.ts";
import { type ParserSettings, readBy } from "../../src/core/judges/parsers/table.ts";
import { type Figure, repeated } from "./figures.ts";

const US_MOST = 2;
const ANSWERS = 20_000;

const tokens = [
  { token: "<score_A>", top: [{ token: "x", logprob: 0 }] },
  { token: " A", top: ["A", " A", " B", "C"].map((token, i) => ({ token, logprob: -0.1 - i })) },
];

/** Settings of each kind, and a short answer that a judge of it would write. */
const CASES: readonly (readonly [ParserSettings, string])[] = [
  [{ kind: "boxed" }, "B reads all input.\n\\boxed{B}"],
  [{ kind: "numbers", range: [1, 10] }, "Scores: \\boxed{7, 4}"],
  [{ kind: "bracket", labels: ["A", "B", "C"] }, "A is complete.\n[[A]]"],
  [{ kind: "tag", tag: "answer", labels: ["A", "B"] }, "<answer>[[A]]</answer>"],
  [{ kind: "line", key: "[RESULT]", labels: ["A", "B"] }, "A is clearer. [RESULT] A"],
  [{ kind: "json", grade: "score", range: [0, 1] }, '{"score": 0.7}'],
  [{ kind: "word", labels: ["Correct", "Incorrect"] }, "Correct"],
  [{ kind: "logprobs", labels: ["A", "B", "C"], tag: "<score_A>" }, "<score_A> A"],
];

/** One figure a kind. Throws where an answer is not read: a fast failure must not look good. */
export async function benchParsers(rounds: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [settings, answer] of CASES) {
    const measure = () => {
      const start = process.cpuUsage();
      for (let i = 0; i < ANSWERS; i++) {
        const said = readBy(settings, { segment: segmentOf(answer) ?? "", count: 2, tokens });
        if (said.status !== "ok") throw new Error(`${settings.kind}: ${said.status}`);
      }
      const { user, system } = process.cpuUsage(start);
      return (user + system) / ANSWERS;
    };
    figures.push(
      await repeated(`parser ${settings.kind}, a short answer`, "CPU µs/answer", { max: US_MOST }, rounds, measure),
    );
  }
  return figures;
}
