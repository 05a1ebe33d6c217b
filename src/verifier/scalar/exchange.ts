// One request to a scalar model: sends a batch of items, receives one number per item. Independent of slots,
// retries and the purpose of the numbers.

import {
  type ScalarApi,
  type ScalarSettings,
  type ScalarText,
  type ScalarValue,
  scalarsIn,
  stepScoresIn,
} from "../../core/wire/scalar-apis.ts";
import { type Endpoint, exchangeDocument } from "../fan-out/exchange.ts";
import { type AttemptResult, outcome, replied } from "../fan-out/refusal.ts";

export interface ScalarEndpoint extends Endpoint {
  api: ScalarApi;
  settings: ScalarSettings;
}

/** The result of one request: one number per item, or none if the request failed. */
export interface Numbers {
  outcome: AttemptResult;
  numbers: readonly ScalarValue[];
}

/** Asks for the numbers of a batch. Never rejects for a failure of the server or the network. */
export async function askScalar(
  endpoint: ScalarEndpoint,
  texts: readonly ScalarText[],
  signal: AbortSignal,
  onHeaders: (accepted: boolean) => void = () => {},
): Promise<Numbers> {
  const { api, settings } = endpoint;
  const body = JSON.stringify(api.body(texts, settings));
  const { reply, failed } = await exchangeDocument(endpoint, { body, signal, onHeaders, explains: body });
  if (failed !== null) return { outcome: failed, numbers: [] };
  const steps = texts.map(({ steps = 0 }) => steps);
  const stepwise = api.per_step === true;
  const numbers = stepwise ? stepScoresIn(api, reply, steps, settings) : scalarsIn(api, reply, texts.length, settings);
  return numbers === null
    ? { outcome: outcome("verifier_bad_reply"), numbers: [] }
    : { outcome: replied("", costIn(reply)), numbers };
}

/** Usage and model in a reply, which is known to be valid JSON. */
function costIn(reply: string): { prompt_tokens: number; model: string | null } {
  const { usage, model } = JSON.parse(reply) as { usage?: { prompt_tokens?: unknown }; model?: unknown };
  const tokens = usage?.prompt_tokens;
  return {
    prompt_tokens: Number.isSafeInteger(tokens) && (tokens as number) > 0 ? (tokens as number) : 0,
    model: typeof model === "string" && model.length <= 256 ? model : null,
  };
}
