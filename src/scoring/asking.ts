// Owns the asking of one signal's questions of one group: waves, what groups of one prompt share,
// what is asked again. Knows no signals but the one.

import { compareKeys } from "../core/candidate/classes.ts";
import type { PreparedGroup } from "../core/candidate/prepare.ts";
import { missingRules } from "../core/contract/spec.ts";
import { LIMITS } from "../core/faults/limits.ts";
import { isUnread, readAnswer, type Sample } from "../core/judges/samples.ts";
import type { OpenSignal } from "../core/signals/group-signals.ts";
import type { Judge, Question } from "../core/signals/signal.ts";
import type { AskedSamples } from "../core/tournament/asked-samples.ts";
import { type Ask, isProbe } from "../core/tournament/schedule.ts";
import type { Comparison, Generation } from "../core/wire/questions.ts";
import type { VerifierSession } from "./ports.ts";
import type { KeyedJournal } from "./sample-journal.ts";

/** A comparison asked by one group and used by all with the same prompt and candidates. */
interface Shared {
  samples: Sample[];
  /** What was asked again because `samples` could not be read. */
  again: AskedSamples[];
  settled: Promise<void>;
}

export interface Entry {
  ask: Ask;
  own: boolean;
  /** Entered by this group, which sees to it that it is answered. */
  first: boolean;
  /** The first, and not known from before: to be put to the verifier. */
  open: boolean;
  /** The journal's key; null without a journal. */
  key: string | null;
  shared: Shared;
}

/**
 * What the groups of one prompt share: short ids for candidate texts, and the comparisons asked.
 */
interface Pool {
  ids: Map<string, number>;
  asked: Map<string, Shared>;
}

/** What all groups of a request share. */
export interface Plans {
  journal: KeyedJournal | null;
  pools: Map<string, Pool>;
  /** What may be asked beyond the first waves by one whose own is of so many generations. */
  spare(size: number): number;
}

/** A signal with its first wave: planned, not asked. */
export interface Planned extends OpenSignal {
  enter: EnterWave;
  firstWave: Entry[];
  /** Its share of the limit. */
  size: number;
}

/** Generations of a wave. */
export const sizeOf = (wave: readonly Entry[]) => wave.reduce((sum, { ask }) => sum + ask.samples, 0);

type EnterWave = (wave: readonly Question[]) => Entry[];

/**
 * Finds each question among those of the same signal and prompt, or enters it there as this group's
 * own.
 */
export function waveEntry({ name, group }: OpenSignal, { pools, journal }: Plans): EnterWave {
  const { question, language, texts } = group;
  const prompt = JSON.stringify([name, question, language]);
  const pool = pools.get(prompt) ?? { ids: new Map<string, number>(), asked: new Map<string, Shared>() };
  pools.set(prompt, pool);
  const ids = texts.map((text) => {
    const id = pool.ids.get(text) ?? pool.ids.size;
    pool.ids.set(text, id);
    return id;
  });
  return (wave) =>
    wave.map(({ to: _, preset: __, ...ask }) => {
      const key = `${ask.first_sample ?? 0}+${ask.samples}:${ask.order.map((i) => ids[i]).join(",")}`;
      const asked = pool.asked.get(key);
      if (asked !== undefined) return { ask, own: false, first: false, open: false, key: null, shared: asked };
      const entry = openEntry(ask, name, group, journal);
      pool.asked.set(key, entry.shared);
      return entry;
    });
}

/** An entry of this group's own, answered already where the journal knows it. */
function openEntry(ask: Ask, name: string, group: PreparedGroup, journal: KeyedJournal | null): Entry {
  const key = journal?.key(name, group, ask) ?? null;
  const known = key === null ? undefined : journal?.known(key);
  const shared: Shared = { samples: [...(known?.samples ?? [])], again: [], settled: Promise.resolve() };
  return { ask, own: known?.own ?? true, first: true, open: known === undefined, key, shared };
}

/**
 * Sample numbers that no first asking of any comparison reaches: both orders, each with the most
 * samples.
 */
const REASK_FROM = 2 * LIMITS.samples_max;

/**
 * One signal's asking of one group: its session, and what is left to it of the request's
 * generations beyond its first wave.
 */
export class Asking {
  private readonly session: VerifierSession;
  private readonly of: Planned;
  private readonly journal: KeyedJournal | null;
  private left: number;

  constructor(session: VerifierSession, of: Planned, { journal, spare }: Plans) {
    this.session = session;
    this.of = of;
    this.journal = journal;
    this.left = spare(of.size);
  }

  /** Whether a later wave may be asked; then its generations are taken off what is left. */
  affords(wave: readonly { samples: number }[]): boolean {
    this.left -= wave.reduce((sum, { samples }) => sum + samples, 0);
    return this.left >= 0;
  }

  /**
   * Asks what a group has entered, and what could not be read once more (`judge.reask` times),
   * under fresh seeds: no vote is in yet, so early stop stays exact. Where the generations left do
   * not suffice for all, the content decides which, not their order or speed.
   */
  async untilRead(first: readonly Entry[]): Promise<void> {
    const { judge, name, group } = this.of;
    const ask = async (round: readonly Entry[]) => {
      const open = round.filter((entry) => entry.open);
      const probes = open.filter(({ ask }) => isProbe(ask)).map((entry) => [entry]);
      const jobs = [open.filter(({ ask }) => !isProbe(ask)), ...probes];
      await Promise.all(jobs.map((job) => this.ask(job)));
    };
    await ask(first);
    let round = first.map((entry) => ({ entry, root: entry.shared }));
    for (let time = 0; time < missingRules(judge).reask; time++) {
      const roots = new Map(round.map(({ entry, root }) => [entry, root]));
      const mute = this.byContent(
        round.flatMap(({ entry }) => (!isProbe(entry.ask) && isUnread(entry.shared.samples) ? [entry] : [])),
      );
      round = mute.flatMap((entry) => {
        const before = entry.ask;
        if (!this.affords([before])) return [];
        const again: Ask = { ...before, first_sample: (before.first_sample ?? 0) + REASK_FROM, reask: true };
        return [{ entry: openEntry(again, name, group, this.journal), root: roots.get(entry) as Shared }];
      });
      if (round.length === 0) return;
      await ask(round.map(({ entry }) => entry));
      for (const { entry, root } of round)
        root.again.push({ ask: entry.ask, own: entry.own, samples: entry.shared.samples });
    }
  }

  private byContent(entries: readonly Entry[]): Entry[] {
    const { keys } = this.of.group;
    const content = ({ ask }: Entry) => ask.order.map((i) => keys[i] as (typeof keys)[number]);
    return [...entries].sort((a, b) =>
      content(a).reduce((sign, key, i) => sign || compareKeys(key, content(b)[i] ?? key), 0),
    );
  }

  /**
   * Asks open comparisons as one job, a probe alone. Whatever the verifier left unreported is a
   * failure, never a silent gap.
   */
  private async ask(open: readonly Entry[]): Promise<void> {
    if (open.length === 0) return;
    const { judge, group } = this.of;
    // Early stop counts every verdict; under strict_model some may not count in the end.
    const stop = judge.strict_model === true ? { stop: "all" as const } : {};
    const { question, language, texts } = group;
    const [{ ask: one }] = open as [Entry];
    // No comparison may show one index twice.
    const probe = isProbe(one) && { order: one.order.map((_, copy) => copy) };
    const candidates = probe ? one.order.map((member) => texts[member] as string) : texts;
    const comparisons = open.map(
      ({ ask: { reask: _, ...ask } }, id): Comparison => ({ id, ...ask, ...stop, ...probe }),
    );
    try {
      await this.session.judge({ question, language, candidates, comparisons }, (generation) => {
        const { ask, key, shared } = open[generation.comparison] as Entry;
        shared.samples.push(readSample(generation, ask.order.length, judge));
        if (key !== null && isComplete(ask, shared.samples)) this.journal?.onSamples(key, inOrder(shared.samples));
      });
    } catch {
      // The port's contract forbids it, and a neighbour must not pay: the gaps below become
      // failures.
    }
    for (const { ask, key, shared } of open) {
      completeSamples(ask, shared.samples);
      if (key !== null && !isComplete(ask, shared.samples)) this.journal?.onFailed?.(key, shared.samples);
    }
  }
}

/** All samples of the ask are in and none has failed: a failure is asked again another time. */
function isComplete({ samples: wanted }: Ask, samples: readonly Sample[]): boolean {
  return samples.length === wanted && samples.every(({ error }) => error === null);
}

const inOrder = (samples: readonly Sample[]) => [...samples].sort((a, b) => a.sample - b.sample);

function readSample(generation: Generation, k: number, judge: Judge): Sample {
  const { sample, finish_reason, prompt_tokens, completion_tokens, latency_ms, model, backend } = generation;
  return {
    sample,
    finish_reason,
    prompt_tokens,
    completion_tokens,
    latency_ms,
    model: model ?? null,
    backend: backend ?? null,
    ...readAnswer(generation, k, judge.form),
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
