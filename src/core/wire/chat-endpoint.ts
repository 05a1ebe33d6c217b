// Derives the URLs and headers for an OpenAI-compatible server from its configured URL and key. Must not
// depend on HTTP clients or questions.

import { withoutTrailing } from "../text/trailing.ts";

/**
 * Returns the root of the API, such as `http://host:8000/v1`, without a trailing slash.
 * @throws TypeError for a URL that cannot be used
 */
export function apiRoot(url: string): string {
  const { protocol, username, password, origin, pathname } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:")
    throw new TypeError("The verifier's URL must begin with http:// or https://.");
  if (username !== "" || password !== "")
    throw new TypeError("The verifier's URL must not carry a key; configure the key separately.");
  const path = withoutTrailing(pathname, "/").replace(/\/chat\/completions$/, "");
  return origin + (/\/v\d\w*(\/|$)/.test(path) ? path : `${path}/v1`);
}

/**
 * Context length of a model in tokens, for prompt and answer together, from a model list (vLLM, SGLang). null
 * if the list does not contain it, undefined if the list does not contain the model.
 * @throws TypeError if the list has a different shape
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

/** Header that names the tenant of a request, for backends with fair sharing (VerifierCall.party). */
export const PARTY_HEADER = "x-kritai-party";
export const partyHeader = (tenant: string | undefined): Record<string, string> =>
  tenant === undefined ? {} : { [PARTY_HEADER]: tenant };
