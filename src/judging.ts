// Owns asking: runs each group's schedule against a verifier session and shares comparisons between groups of one prompt. Knows no rewards.
import { ApiError } from "./core/errors.ts";
import { type AskedSamples, ofOneModel, outcomesOf, readAnswer, type Sample } from "./core/judged.ts";
import { instead } from "./core/limit-advice.ts";
import { LIMITS } from "./core/limits.ts";
import type { PreparedGroup } from "./core/prepare.ts";
import type { Ask, Schedule } from "./core/schedule.ts";
import { SCHEDULES } from "./core/schedules/table.ts";
import type { Spec } from "./core/spec.ts";
import type { Comparison, Generation } from "./core/verifying.ts";
import type { VerifierSession } from "./ports.ts";
import type { KeyedJournal } from "./sample-journal.ts";

/** A comparison asked by one group and used by all with the same prompt and candidates. */
interface Shared {
  samples: Sample[];
  settled: Promise<void>;
}

interface Entry {
  ask: Ask;
  own: boolean;
  /** Own, and not known from before: to be put to the verifier. */
  open: boolean;
  /** The journal's key; null without a journal. */
  key: string | null;
  shared: Shared;
}

/** What the groups of one prompt share: short ids for candidate texts, and the comparisons asked. */
interface Pool {
  ids: Map<string, number>;
  asked: Map<string, Shared>;
}

/** One group's way through its schedule. */
export interface Judging {
  prepared: PreparedGroup;
  /** Asks everything the schedule wants and resolves with all samples; never rejects for a verifier's fault. */
  run(session: VerifierSession): Promise<readonly AskedSamples[]>;
}

/**
 * Plans every group before any verifier call, so that a request that cannot be met is refused whole. What the journal knows is not asked.
 * @throws ApiError `list_too_long`, `too_many_generations`
 */
export function planJudging(
  groups: readonly PreparedGroup[],
  spec: Spec,
  generationsMax: number,
  journal: KeyedJournal | null = null,
): Judging[] {
  const pools = new Map<string, Pool>();
  let generations = 0;
  const judgings = groups.map((prepared) => {
    const schedule = openSchedule(prepared, spec);
    const enter = waveEntry(prepared, pools, journal);
    const firstWave = enter(schedule.next([]));
    generations += firstWave.reduce((sum, { open, ask }) => sum + (open ? ask.samples : 0), 0);
    const askWave = (session: VerifierSession, wave: readonly Entry[]) =>
      askOpen(session, prepared, wave, spec, journal);
    return {
      prepared,
      run: async (session: VerifierSession) => {
        const asked = await judgeGroup(schedule, firstWave, enter, (wave) => askWave(session, wave));
        return spec.judge.strict_model === true ? ofOneModel(asked) : asked;
      },
    };
  });
  if (generations > generationsMax) {
    const message = tooMany(generations, generationsMax);
    throw new ApiError("too_many_generations", `${message}.`, { errors: [{ path: "groups", message }] });
  }
  return judgings;
}

/** Which protocol's limit it is, its value tells. */
function tooMany(generations: number, most: number): string {
  const name = most === LIMITS.generations_verify_max ? "generations_verify_max" : "generations_openai_max";
  return `${generations} generations; the limit ${name} is ${most}${instead(name)}`;
}

function openSchedule({ keys, index, classes }: PreparedGroup, spec: Spec): Schedule {
  try {
    return SCHEDULES[spec.judge.schedule]({ keys, judge: spec.judge, seed: spec.seed });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const message = `${classes.members.length} different candidates, at most list_candidates_max = ${LIMITS.list_candidates_max}${instead("list_candidates_max")}`;
    throw new ApiError(error.code, error.message, { errors: [{ path: `groups[${index}].rollouts`, message }] });
  }
}

type EnterWave = (wave: readonly Ask[]) => Entry[];

/** Finds each ask among those of the same prompt, or enters it there as this group's own. */
function waveEntry(
  { question, language, texts, index }: PreparedGroup,
  pools: Map<string, Pool>,
  journal: KeyedJournal | null,
): EnterWave {
  const prompt = JSON.stringify([question, language]);
  const pool = pools.get(prompt) ?? { ids: new Map<string, number>(), asked: new Map<string, Shared>() };
  pools.set(prompt, pool);
  const ids = texts.map((text) => {
    const id = pool.ids.get(text) ?? pool.ids.size;
    pool.ids.set(text, id);
    return id;
  });
  return (wave) =>
    wave.map((ask) => {
      const key = `${ask.first_sample ?? 0}+${ask.samples}:${ask.order.map((i) => ids[i]).join(",")}`;
      const asked = pool.asked.get(key);
      if (asked !== undefined) return { ask, own: false, open: false, key: null, shared: asked };
      const journalKey = journal?.key(index, ask) ?? null;
      const known = journalKey === null ? undefined : journal?.known(journalKey);
      const shared: Shared = { samples: [...(known?.samples ?? [])], settled: Promise.resolve() };
      pool.asked.set(key, shared);
      return { ask, own: known?.own ?? true, open: known === undefined, key: journalKey, shared };
    });
}

async function judgeGroup(
  schedule: Schedule,
  firstWave: Entry[],
  enter: EnterWave,
  askWave: (open: readonly Entry[]) => Promise<void>,
): Promise<AskedSamples[]> {
  const asked: AskedSamples[] = [];
  for (let wave = firstWave; wave.length > 0; ) {
    const open = wave.filter((entry) => entry.open);
    const settled = askWave(open);
    for (const { shared } of open) shared.settled = settled;
    await Promise.all(wave.map(({ shared }) => shared.settled));
    for (const { ask, own, shared } of wave) asked.push({ ask, own, samples: shared.samples });
    wave = enter(schedule.next(outcomesOf(asked)));
  }
  return asked;
}

/** Asks a wave's open comparisons. Whatever the verifier left unreported is a failure, never a silent gap. */
async function askOpen(
  session: VerifierSession,
  prepared: PreparedGroup,
  open: readonly Entry[],
  spec: Spec,
  journal: KeyedJournal | null,
): Promise<void> {
  if (open.length === 0) return;
  // Early stop counts every verdict; under strict_model some may not count in the end.
  const stop = spec.judge.strict_model === true ? { stop: "all" as const } : {};
  const comparisons = open.map(({ ask }, id): Comparison => ({ id, ...ask, ...stop }));
  const { question, language, texts: candidates } = prepared;
  try {
    await session.judge({ question, language, candidates, comparisons }, (generation) => {
      const { ask, key, shared } = open[generation.comparison] as Entry;
      shared.samples.push(readSample(generation, ask.order.length, spec));
      if (key !== null && isComplete(ask, shared.samples)) journal?.onSamples(key, inOrder(shared.samples));
    });
  } catch {
    // The port's contract forbids it, and a neighbour must not pay: the gaps below become failures.
  }
  for (const { ask, key, shared } of open) {
    completeSamples(ask, shared.samples);
    if (key !== null && !isComplete(ask, shared.samples)) journal?.onFailed?.(key, shared.samples);
  }
}

/** All samples of the ask are in and none has failed: a failure is asked again another time. */
function isComplete({ samples: wanted }: Ask, samples: readonly Sample[]): boolean {
  return samples.length === wanted && samples.every(({ error }) => error === null);
}

const inOrder = (samples: readonly Sample[]) => [...samples].sort((a, b) => a.sample - b.sample);

function readSample(generation: Generation, k: number, spec: Spec): Sample {
  const { sample, finish_reason, prompt_tokens, completion_tokens, latency_ms, model, backend } = generation;
  return {
    sample,
    finish_reason,
    prompt_tokens,
    completion_tokens,
    latency_ms,
    model: model ?? null,
    backend: backend ?? null,
    ...readAnswer(generation, k, spec.judge.form),
  };
}

function completeSamples(ask: Ask, samples: Sample[]): void {
  const first = ask.first_sample ?? 0;
  const seen = new Set(samples.map(({ sample }) => sample));
  for (let sample = first; sample < first + ask.samples; sample++) {
    if (seen.has(sample)) continue;
    const missing = { answer: null, thinking: "none", finish_reason: null, error: "verifier_bad_reply" } as const;
    const nothing = {
      finish_reason: null,
      prompt_tokens: 0,
      completion_tokens: 0,
      latency_ms: 0,
      model: null,
      backend: null,
    };
    samples.push({ sample, ...nothing, ...readAnswer(missing, ask.order.length, "exact_match") });
  }
  samples.sort((a, b) => a.sample - b.sample);
}
