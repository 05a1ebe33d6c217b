// Questions asked after the schedule about candidates that keep the verifier from answering. If the answers
// identify such a candidate, it costs the others no comparison: questions that yielded nothing about the
// others are repeated without it.

import { type AskedQuestion, deciding } from "../asking/asked-questions.ts";
import { comparedIn, type Presentation } from "../asking/questions.ts";
import { isUnparsed, type Reading } from "../asking/readings.ts";
import type { ContentKey } from "../candidate/classes.ts";
import type { PreparedGroup } from "../candidate/prepare.ts";
import type { JudgeSettings } from "../contract/judge-settings.ts";
import type { FlatSpec } from "../contract/spec.ts";
import { attribution } from "./attribution.ts";
import { jammers } from "./jamming.ts";
import { firstPresentations } from "./pair-questions.ts";
import { NOTHING_SEEN } from "./presentation-results.ts";
import { TournamentRun } from "./tournament-run.ts";
import { asksInParts, trialsOf } from "./trials.ts";

const isRead = (reading: Reading) => reading.status !== null && !isUnparsed(reading);

export class FollowUpQuestions {
  private readonly group: Pick<PreparedGroup, "texts" | "keys">;
  private readonly judge: JudgeSettings;
  private readonly seed: number;
  private readonly reference: number | undefined;
  /** Keys of the lists that were asked again without some of their candidates. */
  private readonly reaskedLists = new Set<string>();

  /**
   * @param reference the candidate that all others are compared with, if any; pairs without it are then not
   *   asked
   */
  constructor(
    group: Pick<PreparedGroup, "texts" | "keys">,
    { judge, seed }: Pick<FlatSpec, "judge" | "seed">,
    reference?: number,
  ) {
    this.group = group;
    this.reference = reference;
    this.judge = judge;
    this.seed = seed;
  }

  /**
   * Returns the next questions; empty when nothing is left to ask. Probes (several copies of one candidate)
   * come first, except for lists that trials ask in parts, then trials. After these, every unreadable list,
   * and the schedule's pairs for candidates without any comparison, are asked again without the suspected
   * jammers and the candidates that caused refusals.
   */
  next(asked: readonly AskedQuestion[]): readonly Presentation[] {
    const { texts, keys } = this.group;
    const { mode } = this.judge;
    const { atFault, probes } = attribution(texts, asked);
    const trials = trialsOf(this.judge, this.group, asked, this.seed);
    // Trials of parts of a list replace probes, which would show the longest list once per candidate.
    const inParts = asksInParts(this.judge, keys.length);
    if (probes.length > 0 && !inParts) return probes;
    if (trials.length > 0) return trials;
    const out = new Set([...atFault, ...jammers(keys.length, asked)]);
    if (out.size === 0) return [];
    return mode === "listwise" ? this.lists(asked, out) : this.pairs(asked, out);
  }

  private lists(asked: readonly AskedQuestion[], out: ReadonlySet<number>): Presentation[] {
    const { judge, seed } = this;
    const { keys } = this.group;
    const byList = Map.groupBy(deciding(asked), ({ question }) => comparedIn(question));
    const times = new Map([...byList].map(([name, all]) => [name, timesOf(all)]));
    return [...byList].flatMap(([name, all]) => {
      const { shown } = (all[0] as AskedQuestion).question;
      const rest = shown.filter((member) => !out.has(member));
      const isReadable = all.some(({ readings }) => readings.some(isRead));
      if (isReadable || this.reaskedLists.has(name) || rest.length < 2 || rest.length === shown.length) return [];
      this.reaskedLists.add(name);
      const list = comparedIn({ shown: rest });
      return Array.from({ length: timesOf(all) }, () => {
        const before = times.get(list) ?? 0;
        times.set(list, before + 1);
        return firstPresentations(rest, { keys, judge, seed }, before);
      }).flat();
    });
  }

  private pairs(asked: readonly AskedQuestion[], out: ReadonlySet<number>): Presentation[] {
    const { judge, seed } = this;
    const { keys } = this.group;
    const rest = [...keys.keys()].filter((member) => !out.has(member));
    const among = deciding(asked).filter(({ question }) => !question.shown.some((v) => out.has(v)));
    const met = new Set(among.flatMap(({ question }) => question.shown));
    const alone = rest.filter((member) => !met.has(member));
    if (alone.length === 0 || rest.length < 2 || this.reference !== undefined) return [];
    const run = new TournamentRun({ keys: rest.map((member) => keys[member] as ContentKey), judge, seed });
    const back = (presentation: Presentation) => ({
      ...presentation,
      shown: presentation.shown.map((place) => rest[place] as number),
    });
    const wave = run.next(NOTHING_SEEN).map(back);
    const missing = wave.filter(({ shown }) => shown.some((member) => alone.includes(member)));
    const left = alone.filter((member) => !missing.some(({ shown }) => shown.includes(member)));
    // A candidate without a pair in this wave (odd number of candidates) meets the next candidate.
    const beside = (v: number) => rest[(rest.indexOf(v) + 1) % rest.length] as number;
    return [...missing, ...left.flatMap((v) => firstPresentations([v, beside(v)], { keys, judge, seed }))];
  }
}

/** How often a list of the same candidates was asked; all samples of one repetition count once. */
const timesOf = (asked: readonly AskedQuestion[]): number =>
  new Set(asked.map(({ question: { purpose } }) => (purpose.kind === "verdict" ? purpose.round : 0))).size;
