// A group judged in memory by a judge of known chances: the schedule's own questions, and what each
// score makes of the answers. No request, no clock.

import type { AskedQuestion } from "../../../src/core/asking/asked-questions.ts";
import { firstSampleOf } from "../../../src/core/asking/purpose.ts";
import type { Presentation } from "../../../src/core/asking/questions.ts";
import { NO_FACTS, type Reading } from "../../../src/core/asking/readings.ts";
import type { PreparedGroup } from "../../../src/core/candidate/prepare.ts";
import type { JudgeSettings } from "../../../src/core/contract/judge-settings.ts";
import { DEFAULT_SPEC } from "../../../src/core/contract/spec.ts";
import type { Verdict } from "../../../src/core/judges/verdicts.ts";
import { createRandom, hashText } from "../../../src/core/math/random.ts";
import { seenBy } from "../../../src/core/tournament/run-so-far.ts";
import { resultOf } from "../../../src/core/tournament/tournament-result.ts";
import { TournamentRun } from "../../../src/core/tournament/tournament-run.ts";

/** P(the first shown is better), and how a vote is drawn from it. */
export interface ChanceJudge {
  chance(first: number, second: number): number;
  /** `exact`: counted votes go to the likelier; `noisy`: they are drawn, soft ones blurred. */
  votes: "exact" | "noisy";
}

export interface PlayedGroup {
  run: TournamentRun;
  asked: readonly AskedQuestion[];
  /** The result under a score, of the same answers. */
  scored(score: string): {
    rewards: (number | null)[];
    selected: number | null;
    points: readonly (number | null)[];
    /** The schedule has places. */
    placed: boolean;
    unsettled: boolean;
  };
  /** Whether a counted majority, or the mean of soft votes, put i before j. */
  beat(i: number, j: number): boolean;
  met(i: number, j: number): boolean;
}

const PROMPT = { soft: "letter-select", majority: "text-select" } as const;

export function playedGroup(n: number, more: Partial<JudgeSettings>, judging: ChanceJudge, seed: number): PlayedGroup {
  const vote = (more.vote ?? "majority") as "soft" | "majority";
  const judge: JudgeSettings = { ...DEFAULT_SPEC.judge, prompt: PROMPT[vote], ...more };
  const keys = Array.from({ length: n }, (_, i) => hashText("content", seed, i));
  const run = new TournamentRun({ keys, judge, seed });
  const asked: AskedQuestion[] = [];
  for (let waves = 0; ; waves++) {
    const wave = run.next(seenBy(asked, n, judge));
    if (wave.length === 0) break;
    if (waves > 5000) throw new Error("the schedule does not end");
    for (const presentation of wave) asked.push(answered(presentation, vote, judging, seed));
  }
  const prepared = {
    classes: { classOf: keys.map((_, i) => i), members: keys.map((_, i) => [i]) },
    group: { rollouts: keys.map(() => ({ text: "" })) },
    keys,
    texts: keys.map(() => ""),
  } as unknown as PreparedGroup;
  const leads = new Float64Array(n * n);
  const met = new Set<number>();
  for (const { question, readings } of asked) {
    const { shown } = question;
    const list = shown.length;
    for (const { verdict } of readings) {
      const grades =
        verdict?.kind === "distribution"
          ? verdict.shares
          : shown.map((_, k) => Number((verdict as { place: number }).place === k));
      for (let a = 0; a < list; a++)
        for (let b = 0; b < list; b++) {
          const cell = (shown[a] as number) * n + (shown[b] as number);
          met.add(cell);
          leads[cell] = (leads[cell] as number) + Math.round(((grades[a] as number) - (grades[b] as number)) * 2 ** 20);
        }
    }
  }
  return {
    run,
    asked,
    scored(score) {
      const result = resultOf(prepared, { judge, score, run, atFault: new Set() }, { seed, judgeable: true }, asked);
      const { selection, points, wins } = result.summary as NonNullable<typeof result.summary>;
      return {
        placed: run.places(() => null) !== undefined,
        unsettled: selection.unsettled === true,
        rewards: result.scores.map(({ value }) => value),
        selected: selection.selected,
        points: points ?? wins,
      };
    },
    beat: (i, j) => (leads[i * n + j] as number) > 0,
    met: (i, j) => met.has(i * n + j),
  };
}

function answered(
  presentation: Presentation,
  vote: "soft" | "majority",
  { chance, votes }: ChanceJudge,
  seed: number,
): AskedQuestion {
  const { shown, samples } = presentation;
  const first_sample = firstSampleOf(presentation);
  const readings = Array.from({ length: samples }, (_, k): Reading => {
    const sample = first_sample + k;
    const random = createRandom(hashText("vote", seed, ...shown, sample));
    const weights = shown.map((i) => shown.reduce((sum, j) => sum + (i === j ? 0 : chance(i, j)), 0));
    const blurred = votes === "exact" ? weights : weights.map((weight) => weight * (0.3 + 1.4 * random()) + 0.01);
    const all = blurred.reduce((sum, weight) => sum + weight, 0);
    const shares = blurred.map((weight) => weight / all);
    const verdict: Verdict =
      vote === "soft" ? { kind: "distribution", shares } : { kind: "letter", place: placeOf(shares, votes, random()) };
    return { ...NO_FACTS, sample, verdict, status: "ok", code: null, saved: false };
  });
  return { question: { to: "chat", preset: PROMPT[vote], ...presentation }, charged: true, readings };
}

function placeOf(shares: readonly number[], votes: ChanceJudge["votes"], draw: number): number {
  if (votes === "exact") return shares.indexOf(Math.max(...shares));
  let sum = 0;
  for (const [place, share] of shares.entries()) {
    sum += share;
    if (draw < sum) return place;
  }
  return shares.length - 1;
}
