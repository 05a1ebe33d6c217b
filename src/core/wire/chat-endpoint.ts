// How an OpenAI-compatible server's addresses and headers follow from its configured URL and key. Must not
// know HTTP clients or questions.

import { withoutTrailing } from "../text/trailing.ts";

/**
 * The API's root, e.g. `http://host:8000/v1`, without a slash at its end. @throws TypeError for a
 * URL that cannot be used
 */
export function apiRoot(url: string): string {
  const { protocol, username, password, origin, pathname } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") throw new TypeError("The verifier's URL must be http or https.");
  if (username !== "" || password !== "")
    throw new TypeError("The verifier's URL must not carry a key; configure the key apart.");
  const path = withoutTrailing(pathname, "/").replace(/\/chat\/completions$/, "");
  return origin + (/\/v\d\w*(\/|$)/.test(path) ? path : `${path}/v1`);
}

/**
 * Tokens of a model's context, prompt and answer together, as a model list has it (vLLM, SGLang): null where
 * it does not say, undefined where it does not name the model. @throws TypeError for another shape
 */
export function contextIn(list: unknown, model: string): number | null | undefined {
  const { data } = list as { data: readonly { id?: unknown; max_model_len?: unknown }[] };
  const entry = data.find(({ id }) => id === model);
  const tokens = entry?.max_model_len;
  return entry && (Number.isSafeInteger(tokens) && (tokens as number) > 0 ? (tokens as number) : null);
}

export function authorization(apiKey: string | null): Record<string, string> {
  return apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
}

/** Tells a backend that shares itself fairly whose request it is (VerifierCall.party). */
export const PARTY_HEADER = "x-kritai-party";
export const partyHeader = (tenant: string | undefined): Record<string, string> =>
  tenant === undefined ? {} : { [PARTY_HEADER]: tenant };
