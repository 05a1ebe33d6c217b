// The routes of contracts that rank or score bare texts: which body it is, which texts are judged, how the
// scores are written.
import type * as z from "zod";
import { shownBody } from "../../content/shown-body.ts";
import { readJson } from "../../door/body.ts";
import type { RouteDeps } from "../../door/deps.ts";
import type { FaultDialect } from "../../door/dialect.ts";
import type { AppContext } from "../../door/scope.ts";
import { answerJson, warningHeaders } from "../../door/slow-json.ts";
import { type BodyFields, objectBody } from "../../door/validation.ts";
import type { ContractRoute } from "./contract.ts";
import type { ClientWaits } from "./deadlines.ts";
import { speak } from "./faults.ts";
import { type RankingOptions, rankingOptions } from "./ranking-options.ts";
import { requireOneList, withVendorTypes } from "./vendor-types.ts";

/** Fields of any request for scores of texts. */
interface AskedTexts<J> {
  model: string | null;
  /** The shaped reward instead of a score in 0..1. */
  raw: boolean;
  /** The reply's JSON; `created` is in seconds since 1970. */
  toReply(judged: J, reply: { id: string; created: number }): unknown;
}

/** The same with what the client says of Kritai's own. */
export interface TextRequest {
  contract: ClientWaits;
  model: string | null;
  raw: boolean;
  options: RankingOptions;
}

interface TextDialect<Q, J> {
  /** Schema of the body; fields outside it are warned of where they look like options. */
  schema: z.ZodObject;
  reply: z.core.$ZodType;
  /** Its faults' own words, where they are not the contract's. */
  speaks?: FaultDialect;
  /** Throws `invalid_request`. */
  read(body: BodyFields): Q & AskedTexts<J>;
}

/** The handler of a route whose texts `judge` scores. `dialectOf` says how a body is read. */
export const textRoute =
  <Q, J extends { warnings: readonly string[] }>(
    judge: (c: AppContext, deps: RouteDeps, request: Q & TextRequest) => Promise<J>,
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
