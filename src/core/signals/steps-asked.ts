// Asks about a rollout's steps: a judge names the first wrong step, or a process reward model or a checker
// gives each step a number.

import { type AskedQuestion, commonFault } from "../asking/asked-questions.ts";
import { countedFrom } from "../asking/engine-reading.ts";
import type { Plan } from "../asking/plan.ts";
import { FIRST } from "../asking/purpose.ts";
import type { Question } from "../asking/questions.ts";
import type { Judge } from "../asking/signal.ts";
import { without } from "../asking/signal-value.ts";
import { hasContent } from "../candidate/extract.ts";
import type { PreparedGroup } from "../candidate/prepare.ts";
import type { ItemErrorCode } from "../faults/errors.ts";
import { LIMITS } from "../faults/limits.ts";
import { slotsOf } from "../judges/judge-slots.ts";
import { isSummarised } from "../judges/presets/table.ts";
import { stepList } from "../judges/step-list.ts";
import { mostFrequent } from "../math/stats.ts";
import { checkerFault } from "./external.ts";
import { referenceOf } from "./lone-judge.ts";
import { BARE_TEXT, lonePlan, shownOnce, verdictsOn } from "./lone-plan.ts";
import { numberedSteps, stepsOf, wholeTexts } from "./step-texts.ts";
import { firstWrong, type Reduction, reduced, reducedRange, type StepScores, stepsDetail } from "./steps-score.ts";
import { unread } from "./unreadable.ts";

/** The scores of the steps, or the code that explains why there are none. */
type Scored = readonly (number | null)[] | ItemErrorCode;

/** How the step scores are reduced to one value, and the score before the first step. */
interface StepAsking extends Pick<StepScores, "start"> {
  settings: Reduction;
}

interface AskedSteps extends StepAsking {
  /** Formats a rollout's steps as the string that is shown. */
  write(steps: readonly string[]): string;
  question: Pick<Question, "to" | "preset" | "slots" | "samples">;
  /** Extracts the step scores from the answers about one shown string. */
  scoresOf(classIndex: number, steps: number, seen: readonly AskedQuestion[]): Scored;
}

/** Asks once about each distinct solution; solutions without steps are not asked about. */
function askedSteps(prepared: PreparedGroup, asking: AskedSteps): Plan {
  const { settings, start, write, question: asked, scoresOf } = asking;
  const [lowest] = reducedRange(settings);
  const { preset } = asked;
  const summarised = isSummarised(preset);
  const all = summarised ? wholeTexts(prepared).map((text) => (hasContent(text) ? [text] : [])) : stepsOf(prepared);
  const isAsked = ({ length }: readonly string[]) => length > 0 && length <= LIMITS.solution_steps_max;
  const { shows, textIndices } = shownOnce(
    prepared.question,
    all.map((steps) => (isAsked(steps) ? write(steps) : null)),
  );
  const counts = shows.rolloutIndices.map((r) => (all[r] as readonly string[]).length);
  const questions = shows.texts.map(
    (_, classIndex): Question => ({
      ...asked,
      shown: [classIndex],
      purpose: FIRST,
      // The number of steps in a summary is not known until the summary is written.
      ...(asked.to === "chat" && !summarised && { steps: counts[classIndex] as number }),
    }),
  );
  const bare = ({ steps, ...rest }: Question): Question => ({
    ...rest,
    ...(steps !== undefined && { steps: 1 }),
    purpose: { kind: "bare", text: write([BARE_TEXT]) },
  });
  return lonePlan({
    ...{ questions, unreadable: settings.unreadable, lowest, textIndices, shows },
    // A rollout never loses because a checker did not answer.
    ...(asked.to !== "check_steps" && { bare }),
    read: (seen) => (text, r) => {
      // The solution has too many steps to ask about, so the rollout loses, as an overlong one does.
      if (text === null && (all[r] as readonly string[]).length > 0) return unread(settings, "too_long", lowest);
      const scored = text === null ? [] : scoresOf(text, counts[text] as number, seen);
      return typeof scored === "string"
        ? { value: without(scored), detail: null }
        : {
            value: reduced({ scores: scored, start }, settings),
            detail: stepsDetail({ scores: scored, start }, settings),
          };
    },
  });
}

/**
 * A judge names the first wrong step, or -1 if there is none, like the critics in ProcessBench (arXiv
 * 2412.06559). The most frequent answer of several samples counts; a tie gives no value. Steps before the
 * named step get 1, the named step and later ones get 0.
 */
export const byCritic = (prepared: PreparedGroup, asking: StepAsking, judge: Judge): Plan =>
  askedSteps(prepared, {
    ...asking,
    write: isSummarised(judge.prompt) ? ([whole = ""]) => whole : numberedSteps,
    question: { to: "chat", preset: judge.prompt, ...slotsOf(judge), samples: judge.samples as number },
    scoresOf(classIndex, steps, seen) {
      const verdicts = verdictsOn(seen, classIndex);
      const named = verdicts.flatMap((verdict) => {
        if (verdict.kind === "steps") return firstWrong(verdict.scores);
        return verdict.kind === "grade" ? verdict.grade : [];
      });
      if (named.length === 0) return commonFault(seen, classIndex) ?? "verifier_bad_reply";
      const wrong = mostFrequent(named);
      if (wrong === null) return "no_majority";
      // All verdicts refer to the same summary, since the summary is only rewritten if no verdict could be
      // read.
      const [first] = verdicts;
      return countedFrom(wrong, first?.kind === "steps" ? first.scores.length : steps);
    },
  });

/** A process reward model gives the probability that each step is correct. */
export const byModel = (prepared: PreparedGroup, asking: StepAsking): Plan =>
  askedSteps(prepared, {
    ...asking,
    write: stepList,
    question: { to: "prm", preset: "steps", samples: 1 },
    scoresOf(classIndex, steps, seen) {
      const [verdict] = verdictsOn(seen, classIndex);
      if (verdict?.kind === "steps" && verdict.scores.length === steps) return verdict.scores;
      return commonFault(seen, classIndex) ?? "verifier_bad_reply";
    },
  });

/**
 * The caller's checker examines each step, like the proofs in Safe (arXiv 2506.04592), and returns a number
 * in [0, 1], or null for a step that it cannot check.
 */
export const byChecker = (prepared: PreparedGroup, asking: StepAsking, url: string): Plan => {
  const reference = referenceOf(prepared.group);
  return askedSteps(prepared, {
    ...asking,
    write: stepList,
    question: { to: "check_steps", preset: url, ...(reference !== undefined && { slots: { reference } }), samples: 1 },
    scoresOf(classIndex, steps, seen) {
      const [verdict] = verdictsOn(seen, classIndex);
      if (verdict === undefined) return checkerFault(seen, classIndex);
      const isOf = verdict.kind === "steps" && verdict.scores.length === steps;
      return isOf && verdict.scores.every((score) => score === null || (score >= 0 && score <= 1))
        ? verdict.scores
        : "checker_failed";
    },
  });
};
