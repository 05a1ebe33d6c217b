// The study of a real verifier: every way as a spec, through the product's own scoring.
import { LIMITS } from "../../src/core/faults/limits.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { SpecSchema } from "../../src/core/reward/signals-spec.ts";
import type { Clock, Verifier } from "../../src/ports/ports.ts";
import { scoreBatch } from "../../src/scoring/score-batch.ts";
import { type Cell, comparedCells } from "./cells.ts";
import type { StudyList } from "./lists.ts";
import { COMPARED_SCORES, near, type Played, playedByLot } from "./play.ts";
import { remembering } from "./remembering.ts";
import { MEASURED } from "./report.ts";
import { RANDOM, type Vote, type Way, waysFor } from "./ways.ts";

export interface Measuring {
  verifier: Verifier;
  clock: Clock;
  lists: readonly StudyList[];
  /** Each problem's prompt, by its id. */
  prompts: ReadonlyMap<string, string>;
  /** Candidates of every list. */
  n: number;
  model: string | null;
  max_tokens: number;
  /** Absent: soft ones too where the verifier can give them. */
  votes?: readonly Vote[];
  /** Told after each way. */
  onWay?(name: string, played: readonly Played[]): void;
}

/**
 * Requests for one list at most: each that runs out of time leaves fewer questions for the next.
 */
const TRIES_MAX = 20;
/** A verifier whose answers are longer on average is taken to think first. */
const THINKS_FROM_TOKENS = 64;

/**
 * The kinds of votes that the verifier can give: soft ones where it tells its letters'
 * probabilities.
 */
async function votesOf(measuring: Measuring): Promise<Vote[]> {
  const [list] = measuring.lists;
  const [, probe] = waysFor(measuring.n, ["soft"]);
  if (list === undefined || probe === undefined) return ["hard"];
  const { tau, top } = await scoredBy(measuring, list, probe, probe.score);
  return tau === null && top === null ? ["hard"] : ["soft", "hard"];
}

/** The cells of one real verifier. Lists of which something stayed undecided count in no mean. */
export async function measuredCells(measuring: Measuring): Promise<Cell[]> {
  const { lists, n, onWay } = measuring;
  const asked = { ...measuring, verifier: remembering(measuring.verifier) };
  const all: { way: Way; played: Played[] }[] = [];
  for (const way of waysFor(n, measuring.votes ?? (await votesOf(asked)))) {
    const played: Played[] = [];
    for (const list of lists) played.push(await measured(asked, list, way));
    onWay?.(way.name, played);
    all.push({ way, played });
  }
  all.push({ way: RANDOM, played: lists.map(playedByLot) });
  const reference = all[0]?.played ?? [];
  const sum = (select: (result: Played) => number) => reference.reduce((total, result) => total + select(result), 0);
  const answer =
    sum(({ completion_tokens = 0 }) => completion_tokens) /
    Math.max(
      1,
      sum((result) => result.generations),
    );
  const style = answer > THINKS_FROM_TOKENS ? "thinking" : "direct";
  return comparedCells({ level: MEASURED, noise: "usual", style, n, lists: lists.length }, all);
}

async function measured(measuring: Measuring, list: StudyList, way: Way): Promise<Played> {
  const scored = await scoredBy(measuring, list, way, way.score);
  if (way.everyScore !== true) return scored;
  const scores: Record<string, Played> = {};
  for (const name of COMPARED_SCORES) scores[name] = await scoredBy(measuring, list, way, name);
  return { ...scored, scores };
}

async function scoredBy(measuring: Measuring, list: StudyList, way: Way, score: string): Promise<Played> {
  const { verifier, clock, prompts, model, max_tokens } = measuring;
  const rollouts = list.programs.map((text) => ({ text }));
  const request = RewardsRequestSchema.parse({
    groups: [{ prompt: prompts.get(list.problem) ?? "", rollouts }],
    deadline_ms: LIMITS.deadline_ms_max,
  });
  const judge = { ...way.judge, model, max_tokens };
  const spec = SpecSchema.parse({ judge, reward: score, candidate: { extract: "whole" } });
  for (let time = 1; ; time++) {
    const batch = { request, spec, started_ms: clock.now(), signal: new AbortController().signal };
    const { reply } = await scoreBatch({ verifier, clock }, batch);
    const [group] = reply.groups;
    const [rewards = []] = reply.rewards;
    if (group === undefined) throw new Error("the reply to a request with one group must contain one group");
    const late = group.rollouts.some(({ error }) => error === "deadline");
    if (late && time < TRIES_MAX) continue;
    const { generations, prompt_tokens, completion_tokens } = group.verifier;
    const spent = { generations, tokens: prompt_tokens + completion_tokens, completion_tokens, waves: 0 };
    const known = rewards.filter((reward) => reward !== null);
    const reached = known.length < rewards.length ? { tau: null, top: null } : near(known, list);
    return { problem: list.problem, ...spent, ...reached };
  }
}
