// Splits calls to a decision model until each fits the model's window and its number of questions, and
// estimates what a job's calls cost. Independent of HTTP.
import type { EstimatedJob, RequestCost, TextLengths } from "../../core/asking/request-cost.ts";
import type { DecisionApi, DecisionQuestion } from "../../core/wire/decision-apis.ts";
import { callsOf, type DecisionCall } from "./calls.ts";
import { createStates, type DecisionState, SHOWN_MAX, sizeOf } from "./state.ts";

interface FittedCall {
  call: DecisionCall;
  state: DecisionState;
  /** Whether the call may be sent. False for a call that is too large and cannot be split. */
  fits: boolean;
}

/**
 * Splits a call by its candidates until each part fits the window, and then by its questions, because a part
 * with fewer candidates also has fewer questions.
 * @param more_tokens tokens of each answer that are not in the job's texts
 */
export function fittedCalls(
  call: DecisionCall,
  stateOf: (call: DecisionCall) => DecisionState,
  api: DecisionApi,
  more_tokens = 0,
): FittedCall[] {
  const fitted = (parts: readonly DecisionCall[]) =>
    parts.flatMap((part) => fittedCalls(part, stateOf, api, more_tokens));
  if (call.order.length > SHOWN_MAX) return fitted(call.parts());
  // One question per call is reserved for the check word.
  const asksMax = api.questions_max - 1;
  const state = stateOf(call);
  const tokens = sizeOf(state, asksMax) + call.order.length * more_tokens;
  if (tokens > api.state_tokens || state.images.length > (api.images_max ?? 0)) {
    const parts = call.parts();
    return parts.length > 0 ? fitted(parts) : [{ call, state, fits: false }];
  }
  const chunks = call.chunks(asksMax);
  return chunks.length > 1 ? fitted(chunks) : [{ call, state, fits: true }];
}

/** Renders one state per number of answers, because stand-ins are equally long. */
function standInStates(job: EstimatedJob): (call: DecisionCall) => DecisionState {
  const render = createStates(job, "");
  const rendered = new Map<number, DecisionState>();
  return (call) => {
    const alike = rendered.get(call.order.length) ?? render(call);
    rendered.set(call.order.length, alike);
    const [first, check] = [alike.questions[0], alike.questions.at(-1)] as [DecisionQuestion, DecisionQuestion];
    return { ...alike, questions: [...call.asks.map(() => first), check] };
  };
}

/** Estimates a job's calls and their input tokens. Calls that are never sent are not counted. */
export function decisionRequestCost(
  job: EstimatedJob,
  { prompt_tokens, rollout_tokens }: TextLengths,
  api: DecisionApi,
): RequestCost {
  // All samples of a question are asked in equal calls, in other orders of the candidates.
  const samples = Math.max(0, ...job.questions.map((question) => question.samples));
  const once = { ...job, questions: job.questions.map((question) => ({ ...question, samples: 1 })) };
  const window = { ...api, state_tokens: api.state_tokens - prompt_tokens };
  const stateOf = standInStates(job);
  const sent = callsOf(once, 0)
    .flatMap((call) => fittedCalls(call, stateOf, window, rollout_tokens))
    .filter(({ fits }) => fits);
  const tokens = sent.map(({ call, state }) => sizeOf(state) + prompt_tokens + call.order.length * rollout_tokens);
  return { calls: samples * sent.length, prompt_tokens: samples * tokens.reduce((sum, each) => sum + each, 0) };
}
