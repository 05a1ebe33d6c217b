// Parses a question of RULER from a chat: a context that all trajectories have in common, followed by each
// trajectory as a list of messages.
import * as z from "zod";
import { type Group, GroupSchema } from "../../../core/contract/group.ts";
import { counted, theLimit } from "../../../core/faults/limit-advice.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import type { Spec } from "../../../core/reward/spec.ts";
import type { ContentPath } from "../../content/pieces.ts";
import { requireShown, unsupported } from "../../content/shown-body.ts";
import { invalidRequest, overLimit, validAt } from "../../door/validation.ts";
import { chatPrompt, MessageSchema, messageText, type RequestMessage, spokenRollout } from "./messages.ts";
import { specWithPrinciple } from "./principle.ts";

interface RulerQuestion {
  group: Group;
  /** Ids of the trajectories, in order. */
  ids: readonly string[];
  /** Index of the first trajectory with several turns, which must be judged whole; null if there is none. */
  several: number | null;
  /** The grading standards in the system message; null if there are none. */
  rubric: string | null;
}

const CONTEXT = /^\s*<context>\n([\s\S]*?)\n<\/context>\n/;
/** Matches a trajectory. A message cannot end it early, because JSON contains no raw line feeds. */
const TRAJECTORY = /<trajectory id="([^"\n]{1,64})">\n([^\n]*)\n<\/trajectory>/g;
const STANDARDS = /Grading standards:\s*([\s\S]*)$/;

const TurnsSchema = z.array(MessageSchema);
type Turns = z.output<typeof TurnsSchema>;

const refuse = (message: string) => invalidRequest([{ path: "messages", message }]);

function turnsIn(text: string, what: string, path: ContentPath): Turns {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refuse(`${what} is not JSON`);
  }
  if (Array.isArray(value) && value.length > LIMITS.response_items_max) {
    throw refuse(`${what} has ${overLimit(value.length, "response_items_max")}`);
  }
  requireShown("trajectory", value, path);
  const parsed = TurnsSchema.safeParse(value);
  if (!parsed.success) throw refuse(`${what} is not a list of messages`);
  return parsed.data;
}

/**
 * Splits a trajectory without a context: the last turn is the answer, and the turns before are the prompt.
 */
function lone(turns: Turns): { prompt: Turns; answer: Turns } {
  return { prompt: turns.slice(0, -1), answer: turns.slice(-1) };
}

/** Parses the last user message. Throws `invalid_request` if it is not a question of RULER. */
export function rulerPrompt(messages: readonly RequestMessage[]): RulerQuestion {
  const last = messages.filter(({ role }) => role === "user").at(-1);
  const text = last === undefined ? "" : messageText(last);
  const blocks = [...text.matchAll(TRAJECTORY)].map(([, id, turns]) => ({ id: id as string, turns: turns as string }));
  if (blocks.length === 0) throw refuse('the last user message has no <trajectory id=".."> block');
  if (blocks.length > LIMITS.rollouts_per_group_max) {
    throw refuse(`${blocks.length} trajectories; ${theLimit("rollouts_per_group_max")}`);
  }
  const context = CONTEXT.exec(text)?.[1];
  const trajectories = blocks.map(({ id, turns }, i) => turnsIn(turns, `trajectory ${id}`, ["trajectories", i]));
  const shared = context === undefined ? null : turnsIn(context, "the context", ["context"]);
  const parts = trajectories.map((turns) => (shared === null ? lone(turns) : { prompt: shared, answer: turns }));
  const prompt = chatPrompt(parts[0]?.prompt ?? []);
  const other = parts.findIndex((part) => JSON.stringify(chatPrompt(part.prompt)) !== JSON.stringify(prompt));
  if (other >= 0) {
    const message = "turns before the last differ from those of the first trajectory, and there is no <context>";
    throw unsupported([{ path: `trajectories[${other}]`, message }]);
  }
  const rollouts = parts.map(({ answer }) => spokenRollout(answer));
  const several = rollouts.findIndex(({ messages }) => messages !== undefined);
  const sent = rollouts.map(({ text, messages }) => (messages === undefined ? { text } : { messages }));
  const group = { prompt: prompt.length === 0 ? "" : prompt, rollouts: sent };
  const system = messages.find(({ role }) => role === "system");
  const standards = system === undefined ? undefined : STANDARDS.exec(messageText(system))?.[1]?.trim();
  return {
    group: validAt(GroupSchema, group, ["messages"]),
    ids: blocks.map(({ id }) => id),
    several: several < 0 ? null : several,
    rubric: standards === undefined || standards === "" ? null : standards,
  };
}

/**
 * The spec for judging a question, with the rubric inserted if one of the spec's judges has a slot for it.
 * @throws ApiError `invalid_request` for a rubric that is too long; `unsupported_content` if the spec would
 *   extract only an answer from a trajectory with several turns
 */
export function specOfQuestion({ several, rubric }: RulerQuestion, spec: Spec): Spec {
  const { extract } = spec.candidate;
  if (several !== null && extract !== "whole") {
    const message = `several turns, but the spec's candidate.extract "${extract}" shows the verifier only one of them; use a spec with "whole"`;
    throw unsupported([{ path: `trajectories[${several}]`, message }]);
  }
  const informed = rubric === null ? null : specWithPrinciple(spec, rubric);
  if (rubric !== null && informed !== null && rubric.length > LIMITS.slot_chars) {
    throw refuse(`${counted(rubric.length, "character")} of grading standards; ${theLimit("slot_chars")}`);
  }
  return informed ?? spec;
}
