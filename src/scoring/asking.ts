// The asking of one signal's questions of one group: waves, what groups of one prompt share, what is
// asked again. Knows no signals but the one.

import { compareKeys } from "../core/candidate/classes.ts";
import type { PreparedGroup } from "../core/candidate/prepare.ts";
import { missingRules } from "../core/contract/spec.ts";
import { LIMITS } from "../core/faults/limits.ts";
import { isProbe, type JobQuestion, type Question } from "../core/judges/questions.ts";
import { isUnread, type Reading, readAnswer } from "../core/judges/readings.ts";
import { readScalar } from "../core/judges/scalar-reading.ts";
import type { OpenSignal } from "../core/signals/group-signals.ts";
import type { Judge } from "../core/signals/signal.ts";
import type { AskedQuestion } from "../core/tournament/asked-questions.ts";
import type { Generation } from "../core/wire/questions.ts";
import type { VerifierSession } from "./ports.ts";
import type { KeyedJournal } from "./reading-journal.ts";

/** What came of a question asked by one group, for all with the same prompt and candidates. */
interface Shared {
  readings: Reading[];
  /** What was asked again because `readings` are none that say anything. */
  again: AskedQuestion[];
  settled: Promise<void>;
}

export interface Entry {
  question: Question;
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
 * What the groups of one prompt share: short ids for candidate texts, and the questions asked.
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
export const sizeOf = (wave: readonly Entry[]) => wave.reduce((sum, { question }) => sum + question.samples, 0);

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
    wave.map((question) => {
      const { first_sample = 0, samples, shown } = question;
      const key = `${wordsOf(question)}:${first_sample}+${samples}:${shown.map((i) => ids[i]).join(",")}`;
      const asked = pool.asked.get(key);
      if (asked !== undefined) return { question, own: false, first: false, open: false, key: null, shared: asked };
      const entry = openEntry(question, name, group, journal);
      pool.asked.set(key, entry.shared);
      return entry;
    });
}

/** An entry of this group's own, answered already where the journal knows it. */
function openEntry(question: Question, name: string, group: PreparedGroup, journal: KeyedJournal | null): Entry {
  const key = journal?.key(name, group, question) ?? null;
  const known = key === null ? undefined : journal?.known(key);
  const shared: Shared = { readings: [...(known?.readings ?? [])], again: [], settled: Promise.resolve() };
  return { question, own: known?.own ?? true, first: true, open: known === undefined, key, shared };
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
    const ask = (round: readonly Entry[]) =>
      Promise.all(jobsOf(round.filter((entry) => entry.open)).map((job) => this.ask(job)));
    await ask(first);
    let round = first.map((entry) => ({ entry, root: entry.shared }));
    for (let time = 0; time < missingRules(judge).reask; time++) {
      const roots = new Map(round.map(({ entry, root }) => [entry, root]));
      const mute = this.byContent(
        round.flatMap(({ entry }) => (!isProbe(entry.question) && isUnread(entry.shared.readings) ? [entry] : [])),
      );
      round = mute.flatMap((entry) => {
        const before = entry.question;
        if (!this.affords([before])) return [];
        const again: Question = { ...before, first_sample: (before.first_sample ?? 0) + REASK_FROM, reask: true };
        return [{ entry: openEntry(again, name, group, this.journal), root: roots.get(entry) as Shared }];
      });
      if (round.length === 0) return;
      await ask(round.map(({ entry }) => entry));
      for (const { entry, root } of round)
        root.again.push({ question: entry.question, own: entry.own, readings: entry.shared.readings });
    }
  }

  private byContent(entries: readonly Entry[]): Entry[] {
    const { keys } = this.of.group;
    const content = ({ question }: Entry) => question.shown.map((i) => keys[i] as (typeof keys)[number]);
    return [...entries].sort((a, b) =>
      content(a).reduce((sign, key, i) => sign || compareKeys(key, content(b)[i] ?? key), 0),
    );
  }

  /**
   * Asks open questions of one preset as one job, a probe alone. Whatever the verifier left
   * unreported is a failure, never a silent gap.
   */
  private async ask(open: readonly Entry[]): Promise<void> {
    const { judge, group } = this.of;
    // Early stop counts every verdict; under strict_model some may not count in the end.
    const stop = judge.strict_model === true ? { stop: "all" as const } : {};
    const { question, language, texts } = group;
    const [{ question: one }] = open as [Entry];
    // No question may show one index twice.
    const probe = isProbe(one) && { shown: one.shown.map((_, copy) => copy) };
    const candidates = probe ? one.shown.map((member) => texts[member] as string) : texts;
    const questions = open.map(
      ({ question: { to: _, preset: __, slots: ___, reask: ____, ...rest } }, id): JobQuestion => {
        return { id, ...rest, ...stop, ...probe };
      },
    );
    const { to, preset, slots } = one;
    const about = { to, preset, ...(slots !== undefined && { slots }) };
    const job = { ...about, question, language, candidates, questions };
    try {
      await this.session.judge(job, (generation) => {
        const { question: asked, key, shared } = open[generation.question] as Entry;
        shared.readings.push(readGeneration(generation, asked, judge));
        if (key !== null && isComplete(asked, shared.readings)) {
          this.journal?.onReadings(key, inOrder(shared.readings));
        }
      });
    } catch {
      // The port's contract forbids it, and a neighbour must not pay: the gaps below become
      // failures.
    }
    for (const { question: asked, key, shared } of open) {
      completeReadings(asked, shared.readings);
      if (key !== null && !isComplete(asked, shared.readings)) this.journal?.onFailed?.(key, shared.readings);
    }
  }
}

/** Whom a question goes to and in whose words, as a key. */
export const wordsOf = ({ to, preset, slots }: Question): string =>
  slots === undefined ? `${to}:${preset}` : `${to}:${preset}:${JSON.stringify(slots)}`;

/** Probes alone, all else by whom it goes to and in whose words. */
function jobsOf(open: readonly Entry[]): Entry[][] {
  const jobs = new Map<string, Entry[]>();
  const probes: Entry[][] = [];
  for (const entry of open) {
    const key = wordsOf(entry.question);
    const job = jobs.get(key);
    if (isProbe(entry.question)) probes.push([entry]);
    else if (job === undefined) jobs.set(key, [entry]);
    else job.push(entry);
  }
  return [...jobs.values(), ...probes];
}

/** All samples of the question are in and none has failed: a failure is asked again another time. */
function isComplete({ samples }: Question, readings: readonly Reading[]): boolean {
  return readings.length === samples && readings.every(({ code }) => code === null);
}

const inOrder = (readings: readonly Reading[]) => [...readings].sort((a, b) => a.sample - b.sample);

function readGeneration(generation: Generation, { to, shown, preset }: Question, judge: Judge): Reading {
  const { sample, finish_reason, prompt_tokens, completion_tokens, latency_ms, model, backend } = generation;
  return {
    sample,
    finish_reason,
    prompt_tokens,
    completion_tokens,
    latency_ms,
    model: model ?? null,
    backend: backend ?? null,
    ...(to === "scalar" ? readScalar(generation) : readAnswer(generation, shown.length, judge.form, preset)),
  };
}

function completeReadings(question: Question, readings: Reading[]): void {
  const first = question.first_sample ?? 0;
  const seen = new Set(readings.map(({ sample }) => sample));
  for (let sample = first; sample < first + question.samples; sample++) {
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
    readings.push({ sample, ...nothing, ...readAnswer(missing, question.shown.length, "exact_match") });
  }
  readings.sort((a, b) => a.sample - b.sample);
}
