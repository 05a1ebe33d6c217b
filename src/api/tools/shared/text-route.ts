// Handlers for APIs that rank or score plain strings: they select the API's format, judge the strings, and
// format the scores.
import type * as z from "zod";
import { shownBody } from "../../content/shown-body.ts";
import { readJson } from "../../door/body.ts";
import type { AppDeps } from "../../door/deps.ts";
import type { FaultDialect } from "../../door/dialect.ts";
import type { AppContext } from "../../door/scope.ts";
import { answerJson, warningHeaders } from "../../door/slow-json.ts";
import { type BodyFields, objectBody } from "../../door/validation.ts";
import type { ContractRoute } from "./contract.ts";
import type { ClientWaits } from "./deadlines.ts";
import { speak } from "./faults.ts";
import { type RankingOptions, rankingOptions } from "./ranking-options.ts";
import { requireOneList, withVendorTypes } from "./vendor-types.ts";

/** Fields that all requests of these APIs have in common. */
interface AskedTexts<J> {
  model: string | null;
  /** Whether to return the shaped reward instead of a score in 0..1. */
  raw: boolean;
  /** Builds the reply's JSON; `created` is Unix time in seconds. */
  toReply(judged: J, reply: { id: string; created: number }): unknown;
}

/** A parsed request, with Kritai's own options. */
export interface TextRequest {
  contract: ClientWaits;
  model: string | null;
  raw: boolean;
  options: RankingOptions;
}

interface TextDialect<Q, J> {
  /** Schema of the body. Unknown fields that look like options result in a warning. */
  schema: z.ZodObject;
  reply: z.core.$ZodType;
  /** The error dialect, if it differs from the contract's. */
  speaks?: FaultDialect;
  /** Parses the body. Throws `invalid_request`. */
  read(body: BodyFields): Q & AskedTexts<J>;
}

/**
 * The handler for a route whose strings are scored by `judge`; `dialectOf` selects the format by the body.
 */
export const textRoute =
  <Q, J extends { warnings: readonly string[] }>(
    judge: (c: AppContext, deps: AppDeps, request: Q & TextRequest) => Promise<J>,
    dialectOf: (body: BodyFields) => TextDialect<Q, J>,
  ): ContractRoute["handler"] =>
  (deps, contract) =>
  async (c) => {
    const given = objectBody(await readJson(c.req.raw));
    const { schema, reply, speaks, read } = dialectOf(given);
    if (speaks !== undefined) speak(c, speaks);
    requireOneList(schema, given);
    const body = withVendorTypes(schema, shownBody(c, contract, given));
    const asked = read(body);
    const options = rankingOptions(c, body, schema);
    const ranked = judge(c, deps, { ...asked, contract, options }).then((judged) => {
      const created = Math.floor(deps.clock.date().getTime() / 1000);
      const value = asked.toReply(judged, { id: c.get("scope").id, created });
      return { value, headers: warningHeaders(judged.warnings) };
    });
    return answerJson(c, deps, ranked, reply);
  };
