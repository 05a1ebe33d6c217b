// Owns the check of a judge's answers by another model: what each is worth, which of a question's
// answers count, and what becomes of one that could not be scored. Knows no schedule.

import type { Question } from "../core/asking/questions.ts";
import { NOTHING, type Reading } from "../core/asking/readings.ts";
import type { Judge } from "../core/asking/signal.ts";
import { type Valued, valued, without } from "../core/asking/signal-value.ts";
import type { JudgeFilter } from "../core/contract/judge-filter.ts";
import { BLAMES_CONTENT } from "../core/faults/question-fault.ts";
import { presetNamed } from "../core/judges/presets/table.ts";
import { filterJudge } from "../core/signals/filter-judge.ts";
import { gradeOf } from "../core/signals/grade.ts";
import type { Planned, QuestionEntry } from "./entries.ts";
import { completeReadings, readGeneration } from "./generation-reading.ts";
import type { AskingSession } from "./sessions.ts";

/**
 * Of one signal of one group. It is shown the group's prompt and what the judge wrote, nothing that
 * a policy did, so that no candidate is too long for it.
 */
export class AnswerFilter {
  private readonly session: AskingSession;
  private readonly of: Planned;
  private readonly filter: JudgeFilter;
  private readonly judge: Judge;
  /** What the judge wrote, while it is not scored. */
  private readonly written = new Map<Reading, string>();

  constructor(session: AskingSession, of: Planned, filter: JudgeFilter) {
    this.session = session;
    this.of = of;
    this.filter = filter;
    this.judge = filterJudge(of.judge) as Judge;
  }

  /** Keeps the words of an answer until it is scored. */
  keep(reading: Reading, words: string): void {
    if (reading.verdict !== null) this.written.set(reading, words);
  }

  /**
   * Scores the verdicts of questions whose answers are all in. Equal words are scored once. Of each
   * question the `top` that score most count, equal scores by their sample's number; the others are
   * `filtered`. One without a finite score has failed with the filter's code: it is no vote.
   */
  async apply(entries: readonly QuestionEntry[]): Promise<void> {
    const wordsOf = new Map(this.written);
    this.written.clear();
    const [first] = entries;
    const texts = [...new Set(wordsOf.values())];
    if (first === undefined || texts.length === 0) return;
    const question: Question = { ...this.question(texts.length), shown: first.question.shown };
    const readings = await this.scored(texts, question);
    first.shared.again.push({ question, charged: true, readings });
    const scores = new Map(texts.map((text, i) => [text, this.scoreOf(readings[i] as Reading)]));
    for (const { shared } of entries) {
      const worth = shared.readings.map((reading): Valued | null =>
        reading.verdict === null ? null : (scores.get(wordsOf.get(reading) ?? "") ?? without("verifier_bad_reply")),
      );
      shared.readings = counted(shared.readings, worth, this.filter.top);
    }
  }

  private question(samples: number): Question {
    return { to: this.filter.by, preset: this.judge.prompt, shown: [0], samples, filters: true };
  }

  /** One reading a text, in their order. */
  private async scored(texts: readonly string[], asked: Question): Promise<Reading[]> {
    const { question, language } = this.of.group;
    const questions = texts.map((_, id) => ({ id, shown: [id], samples: 1 }));
    const { to, preset } = asked;
    const readings: Reading[] = [];
    const one: Question = { ...asked, shown: [0], samples: 1 };
    try {
      await this.session.judge({ to, preset, question, language, candidates: texts, questions }, (generation) => {
        readings.push({ ...readGeneration(generation, one, this.judge), sample: generation.question });
      });
    } catch {
      // As of the judge's own questions: what was not reported has failed.
    }
    completeReadings(asked, readings);
    return readings.sort((a, b) => a.sample - b.sample);
  }

  private scoreOf({ verdict, code }: Reading): Valued {
    // What the filter refuses, the judge wrote: no candidate is to blame.
    if (verdict === null) return without(code === null || BLAMES_CONTENT.has(code) ? "verifier_bad_reply" : code);
    const grade =
      this.filter.by === "scalar"
        ? verdict.kind === "grade"
          ? verdict.grade
          : null
        : gradeOf(verdict, {}, presetNamed(this.judge.prompt));
    return grade === null || !Number.isFinite(grade) ? without("verifier_bad_reply") : valued(grade);
  }
}

/** @param worth of each reading; null of one that holds no verdict and is left as it is */
function counted(readings: readonly Reading[], worth: readonly (Valued | null)[], top: number): Reading[] {
  const best = readings
    .flatMap(({ sample }, i) => {
      const score = worth[i]?.value ?? null;
      return score === null ? [] : [{ i, sample, score }];
    })
    .sort((a, b) => b.score - a.score || a.sample - b.sample)
    .slice(0, top);
  const counts = new Set(best.map(({ i }) => i));
  return readings.map((reading, i): Reading => {
    const score = worth[i] ?? null;
    if (score === null || counts.has(i)) return reading;
    return score.code === null
      ? { ...reading, status: "filtered" }
      : { ...reading, ...NOTHING, status: null, code: score.code };
  });
}
