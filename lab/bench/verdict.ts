// The benchmark of verdict parsing and verdict rewards on one core. `node lab/bench/verdict.ts` prints it;
// `npm run lab -- bench` imports it.
import { pathToFileURL } from "node:url";
import { VerdictsRequestSchema } from "../../src/core/contract/verdicts-request.ts";
import { rewardVerdicts } from "../../src/core/formulations/rewards.ts";
import { parseLetter } from "../../src/core/judges/verdict.ts";
import { bootstrapMean } from "../../src/core/math/bootstrap.ts";

export interface Measurement {
  name: string;
  value: number;
  unit: string;
}

const ROUNDS = 5;

/**
 * The best of some rounds, in ms, after one round to warm up: what the code can do when neighbours
 * leave the core alone.
 */
function bestMs(work: () => void): number {
  work();
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    work();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

function shortTexts(count: number): string[] {
  const forms = [
    "\\boxed{A}",
    "\\boxed{ b }",
    "\\boxed{\\text{B}}",
    "Final answer: \\boxed{A}.",
    "**\\boxed{[B]}**",
    "I cannot tell.",
  ];
  return Array.from({ length: count }, (_, i) => `<think>\nstep ${i}</think>\n${forms[i % forms.length]}`);
}

function trace(bytes: number, i: number, tail: string): string {
  const line = `Candidate A reads n = ${i}, then { loops } over the list; B sorts it first. Maybe \\boxed{A}? No.\n`;
  return `<think>\n${line.repeat(Math.ceil(bytes / line.length))}`.slice(0, bytes) + tail;
}

function parseMs(texts: readonly string[]): number {
  return bestMs(() => {
    for (const text of texts) parseLetter(text, 2);
  });
}

/** Measures, on one core, the figures the issue names. Takes a few seconds. */
export function benchVerdict(): Measurement[] {
  const short = shortTexts(60_000);
  const closed = Array.from({ length: 200 }, (_, i) => trace(65_536, i, "</think>\n\\boxed{B}"));
  const open = Array.from({ length: 200 }, (_, i) => trace(65_536, i, ""));
  const untagged = Array.from({ length: 200 }, (_, i) => trace(65_536, i, "\\boxed{A}").slice("<think>".length));
  const megabytes = (texts: readonly string[]) => texts.reduce((sum, text) => sum + text.length, 0) / 1e6;
  const request = VerdictsRequestSchema.parse({
    formulation: "list_em",
    overlong: { max_tokens: 16_384, cache_tokens: 2048 },
    items: short.map((text, i) => ({ text, candidates: 5, correct: i % 5, length_tokens: i % 17_000 })),
  });
  const scores = VerdictsRequestSchema.parse({
    formulation: "pair_sc",
    items: short.map((_, i) => ({ text: `<think>\n${i}</think>\n\\boxed{[${i % 11}, 4]}`, pass_rates: [1, 0.4] })),
  });
  const values = Array.from({ length: 2000 }, (_, i) => (i * 7919) % 13);
  const perSecond = (count: number, ms: number) => Math.round((count / ms) * 1000);
  return [
    { name: "parseLetter, short texts", value: perSecond(short.length, parseMs(short)), unit: "texts/s" },
    ...Object.entries({
      "closed <think> block (read from the end)": closed,
      "open <think> block": open,
      "no tags": untagged,
    }).map(([name, texts]) => ({
      name: `parseLetter, 64 KiB traces, ${name}`,
      value: perSecond(megabytes(texts), parseMs(texts)),
      unit: "MB/s",
    })),
    {
      name: "rewardVerdicts, list_em",
      value: perSecond(
        short.length,
        bestMs(() => rewardVerdicts(request)),
      ),
      unit: "items/s",
    },
    {
      name: "rewardVerdicts, pair_sc",
      value: perSecond(
        short.length,
        bestMs(() => rewardVerdicts(scores)),
      ),
      unit: "items/s",
    },
    {
      name: "bootstrapMean",
      value: perSecond(
        (values.length * 1000) / 1e6,
        bestMs(() => bootstrapMean(values, { resamples: 1000, seed: 1 })),
      ),
      unit: "million draws/s",
    },
  ];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) console.table(benchVerdict());
