// One request to a decision model: sends a state and questions, receives a probability per option.
// Independent of slots, retries and the purpose of the answers.

import { type DecisionApi, type DecisionReply, sharesOf } from "../../core/wire/decision-apis.ts";
import { type Endpoint, exchangeDocument } from "../fan-out/exchange.ts";
import { type AttemptResult, outcome, replied } from "../fan-out/refusal.ts";
import type { DecisionAnswer } from "./calls.ts";
import { CHECK, type DecisionState, readFault } from "./state.ts";

export interface DecisionEndpoint extends Endpoint {
  api: DecisionApi;
  model: string;
  /** The server's daily limit once reached: the reason, and the end of the day (00:00 UTC, Unix ms). */
  day: { over: string | null; ends: number };
}

/** The answers to one request, in the order of its questions, or a failure. */
interface DecisionReplied {
  failed: AttemptResult | null;
  answers: readonly DecisionAnswer[];
  input_tokens: number | null;
  model: string;
}

/** Asks questions about one state. Never rejects for a failure of the server or the network. */
export async function askQuestions(
  endpoint: DecisionEndpoint,
  state: Omit<DecisionState, "word" | "tokens">,
  signal: AbortSignal,
  onHeaders: (accepted: boolean) => void = () => {},
): Promise<DecisionReplied> {
  const { api, model, day } = endpoint;
  const nothing = (result: AttemptResult) => ({ failed: result, answers: [], input_tokens: null, model });
  if (endpoint.clock.date().getTime() >= day.ends) day.over = null;
  if (day.over !== null) {
    onHeaders(false);
    return nothing(final(outcome("verifier_overloaded"), day.over));
  }
  const body = JSON.stringify(api.body(state.text, state.questions, model, state.images));
  const watched = { ...endpoint, fetch: watchingDailyLimit(endpoint) };
  const { reply, failed } = await exchangeDocument(watched, { body, signal, onHeaders, explains: body });
  if (failed !== null) return nothing(day.over === null ? failed : final(failed, day.over));
  const read = readReply(api, reply);
  if (read === null) return nothing(outcome("verifier_bad_reply"));
  const answers = state.questions.map(({ id, options }): DecisionAnswer => {
    const answer = read.answers.get(id);
    return {
      shares: answer == null ? null : sharesOf(answer, options),
      coverage: answer?.coverage ?? 1,
      refused: answer === null,
    };
  });
  return { failed: null, answers, input_tokens: read.input_tokens, model: read.model ?? model };
}

/** The result of one call: an answer for each question except the check, or a failure. */
interface DecisionOutcome {
  outcome: AttemptResult;
  answers: readonly DecisionAnswer[];
}

/** Like `askQuestions`, but fails if the check shows that the model did not read the state to its end. */
export async function askDecision(
  endpoint: DecisionEndpoint,
  state: DecisionState,
  signal: AbortSignal,
  onHeaders: (accepted: boolean) => void = () => {},
): Promise<DecisionOutcome> {
  const { failed, answers, input_tokens, model } = await askQuestions(endpoint, state, signal, onHeaders);
  if (failed !== null) return { outcome: failed, answers: [] };
  const at = state.questions.findIndex(({ id }) => id === CHECK);
  const fault = readFault(state, answers[at]?.shares ?? null, input_tokens);
  const cost = { prompt_tokens: input_tokens ?? 0, model };
  if (fault !== null) {
    const less = outcome(fault);
    const generation = { ...less.generation, prompt_tokens: cost.prompt_tokens };
    return { outcome: { ...less, generation }, answers: [] };
  }
  return { outcome: replied("", cost), answers: answers.filter((_, i) => i !== at) };
}

function readReply(api: DecisionApi, text: string): DecisionReply | null {
  try {
    return api.read(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Workers AI's error codes for a daily limit. */
const DAILY = new Set([3036, 4006]);
const REASON_CHARS = 4_096;

const DAY_MS = 86_400_000;

/**
 * Wraps `fetch` to record in `day` when a 429 reports a daily limit, after which nothing is asked until the
 * next day.
 */
function watchingDailyLimit({ fetch: fetcher, clock, day }: DecisionEndpoint): typeof fetch {
  return async (input, init) => {
    const response = await fetcher(input, init);
    if (response.status !== 429) return response;
    const said = (await response.text().catch(() => "")).slice(0, REASON_CHARS);
    const code = /"code"\s*:\s*(\d{4})\b/.exec(said)?.[1];
    if (code !== undefined && DAILY.has(Number(code))) {
      day.over = `the daily allocation is used up until 00:00 UTC (code ${code})`;
      day.ends = (Math.floor(clock.date().getTime() / DAY_MS) + 1) * DAY_MS;
    }
    return new Response(null, { status: 429, headers: response.headers });
  };
}

/** Marks a failure as final: a retry on the same day cannot succeed. */
const final = (failed: AttemptResult, reason: string): AttemptResult => ({
  ...failed,
  generation: { ...failed.generation, reason },
  refusal: null,
  final: true,
});
