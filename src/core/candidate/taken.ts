// Determines what is judged of each rollout in a group, and the question shown with it: candidates extracted
// from texts, or views of multi-turn rollouts.
import { type CandidateRule, maxChars, transcriptRule } from "../contract/candidate-rule.ts";
import type { Group } from "../contract/group.ts";
import type { Prompt, PromptMessage } from "../contract/prompt.ts";
import { isTooLong } from "../contract/text-bytes.ts";
import { ApiError } from "../faults/errors.ts";
import { LIMITS } from "../faults/limits.ts";
import { actsIn, turnsOf } from "../transcript/turns.ts";
import { extractCandidate, hasContent, normaliseCandidate } from "./extract.ts";
import { openedThoughts } from "./prompted-thoughts.ts";
import {
  answerShown,
  diffView,
  type Evidence,
  evidenceOf,
  type GroupView,
  ownLength,
  wholeView,
} from "./transcript/evidence.ts";
import { ALL_BEGAN, regionsOf, type ShownShare, unlikeBlocks, viewOf } from "./transcript/view.ts";

const isPlain = (message: PromptMessage): message is PromptMessage & { content: string } =>
  typeof message.content === "string" && (message.tool_calls ?? []).length === 0;

const UNBOUNDED = { result_chars: Number.MAX_SAFE_INTEGER, total_chars: Number.MAX_SAFE_INTEGER, shrinks: 0 };

/**
 * The question as a single string. A single user message is used unchanged, a longer chat gets its roles as
 * headings, and a chat with tool calls becomes a complete transcript.
 * @param beside whether the question is shown together with transcripts, whose blocks it must not imitate
 */
export function questionText(prompt: Prompt, beside = false): string {
  const safe = beside ? unlikeBlocks : (text: string) => text;
  if (typeof prompt === "string") return safe(prompt);
  if (!prompt.every(isPlain)) return viewOf(regionsOf(turnsOf(prompt), 1, "P"), false, UNBOUNDED).text;
  if (prompt.length === 1) return safe((prompt[0] as { content: string }).content);
  return safe(prompt.map(({ role, content }) => `${role}:\n${content}`).join("\n\n"));
}

export interface ShownEvidence {
  /** One entry per rollout: the turns and files of the rollout. */
  items: readonly Evidence[];
  shown: readonly ShownShare[];
  /** Number of initial turns that all rollouts share. These turns are part of the question. */
  shared: number;
  /** The question without the shared turns. */
  prompt: string;
  /** Whether transcripts or files are judged, and not only the answers. */
  isView: boolean;
  /** For each rollout, the share of its characters that was cut off because of its length. */
  cut: readonly number[];
  /** For each rollout, whether a smaller budget would show less of it. */
  cuttable: readonly boolean[];
  /** For each rollout, how often its budget was halved. */
  shrinks: readonly number[];
}

/** Evidence that a verifier rejected as too long, and how often to halve the budget of each rollout. */
export interface Shrinking {
  evidence: readonly Evidence[];
  shrinks: readonly number[];
}

/** The candidates of a group, and the question shown with them. */
export interface Taken {
  candidates: readonly (string | null)[];
  /** For each rollout, whether its candidate is short enough to be shown. */
  short: readonly boolean[];
  /** For each rollout, whether the policy's own words exceed rollout_text_bytes. */
  tooLong: readonly boolean[];
  question: string;
  language: string | null;
  warnings: readonly string[];
  evidence?: ShownEvidence;
}

/** Work steps for extracting a candidate: per character, and per rollout. */
const STEPS_CHAR = 2;
const STEPS_ROLLOUT = 500;

/**
 * Determines what is judged of a group. Yields the number of work steps for each rollout.
 * @param smaller evidence of a group that was shown before and must be shortened
 * @throws ApiError `facts_required` if files are judged and a rollout has none
 */
export function* takenOf(
  group: Group,
  index: number,
  rule: CandidateRule,
  smaller?: Shrinking,
): Generator<number, Taken> {
  if (rule.extract === "diff") requireFiles(group, index);
  const opened = openedThoughts(group);
  const evidence = smaller?.evidence ?? (yield* evidenceOf(group.rollouts, rule.extract === "diff", opened));
  if (evidence === null || (rule.extract !== "whole" && rule.extract !== "diff"))
    return yield* takenTexts(group, evidence, rule, opened);
  const taken = takenViews(group, evidence, rule, smaller?.shrinks ?? group.rollouts.map(() => 0));
  const chars = taken.candidates.reduce((sum, text) => sum + (text?.length ?? 0), 0);
  yield group.rollouts.length * STEPS_ROLLOUT + STEPS_CHAR * chars;
  return taken;
}

function requireFiles({ rollouts }: Group, index: number): void {
  const without = rollouts.findIndex(({ files }) => files === undefined);
  if (without < 0) return;
  const path = `groups[${index}].rollouts[${without}].files`;
  const message = 'required because the spec\'s candidate.extract is "diff"';
  throw new ApiError("facts_required", `${path}: ${message}.`, { errors: [{ path, message }] });
}

const ANSWERS_ALONE = { shared: 0, isView: false, cut: [], cuttable: [], shrinks: [] };

/** Extracts candidates from plain rollouts. For multi-turn rollouts, extracts them from the last answer. */
function* takenTexts(
  group: Group,
  evidence: readonly Evidence[] | null,
  candidate: CandidateRule,
  opened: readonly boolean[],
) {
  const longest = maxChars(candidate);
  const tooLong = group.rollouts.map(({ text, too_long }, r) => {
    const length = evidence === null ? 0 : ownLength(evidence[r] as Evidence);
    return too_long === true || isTooLong(text) || length > LIMITS.rollout_text_bytes;
  });
  const extracted = [];
  for (const [r, { text }] of group.rollouts.entries()) {
    // A truncated text has no candidate, because its last program may not be the final one.
    extracted.push(extractCandidate(tooLong[r] ? "" : text, candidate, group.language ?? null, opened[r]));
    yield STEPS_ROLLOUT + STEPS_CHAR * text.length;
  }
  // If the prompt shows images, candidates must not contain anything that looks like an image block.
  const safe = group.images === undefined ? (text: string) => text : unlikeBlocks;
  const candidates = extracted.map(({ candidate }) =>
    candidate === null ? null : normaliseCandidate(safe(candidate)),
  );
  const acts = evidence?.some(({ turns, files }) => files.length > 0 || turns.length > 1 || actsIn(turns)) === true;
  const question = questionText(group.prompt);
  const taken: Taken = {
    ...{ candidates, tooLong },
    short: candidates.map((text) => text === null || text.length <= longest),
    question,
    language: group.language ?? commonLanguage(extracted.map(({ language }) => language)),
    warnings: acts ? ["only_the_answer_judged"] : [],
    ...(evidence !== null && {
      evidence: { items: evidence, shown: evidence.map(answerShown), ...ANSWERS_ALONE, prompt: question },
    }),
  };
  return taken;
}

/** Whether a rollout left a file, called a tool, or wrote more than an opener. */
const saysAnything = ({ turns, files }: Evidence): boolean =>
  files.length > 0 ||
  turns.some(({ parts }) =>
    parts.some(({ own: isOwn, kind, text }) => isOwn && kind !== "thought" && (kind !== "text" || hasContent(text))),
  );

/**
 * The views of multi-turn rollouts. A rollout can be malformed only because of the length of the policy's own
 * words.
 */
function takenViews(
  group: Group,
  items: readonly Evidence[],
  candidate: CandidateRule,
  shrinks: readonly number[],
): Taken {
  const { reasoning, result_chars, total_chars } = transcriptRule(candidate);
  const longest = maxChars(candidate);
  const budget = { result_chars, total_chars: Math.min(total_chars, longest) };
  const view: GroupView = (candidate.extract === "diff" ? diffView : wholeView)(items, { reasoning, budget, shrinks });
  const { shown, shared, cut, cuttable, beginning, texts, policyChars } = view;
  const prompt = questionText(group.prompt, true);
  return {
    candidates: texts.map((text, r) => (saysAnything(items[r] as Evidence) ? normaliseCandidate(text) : null)),
    short: policyChars.map((chars) => chars <= longest),
    tooLong: group.rollouts.map(
      ({ too_long }, r) => too_long === true || (policyChars[r] as number) > LIMITS.rollout_text_bytes,
    ),
    question: beginning === null ? prompt : `${prompt}\n\n${ALL_BEGAN}\n\n${beginning}`,
    language: null,
    warnings: [],
    evidence: { items, shown, shared, prompt, isView: true, cut, cuttable, shrinks },
  };
}

/**
 * The language that all fences agree on. null for mixed groups, whose candidates are shown without a language
 * tag.
 */
function commonLanguage(languages: readonly (string | null)[]): string | null {
  const named = new Set(languages.filter((language) => language !== null));
  return named.size === 1 ? ([...named][0] as string) : null;
}
