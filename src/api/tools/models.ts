// Owns GET /v1/models: the specs, as the models of the chat facade.
import * as z from "zod";
import { ApiError } from "../../core/faults/errors.ts";
import { timedStore } from "../../scoring/request-scope.ts";
import type { RouteDeps } from "../door/deps.ts";
import type { AppContext } from "../door/scope.ts";

export const ModelsReplySchema = z.object({
  object: z.literal("list"),
  data: z.array(
    z.object({ id: z.string(), object: z.literal("model"), created: z.int(), owned_by: z.literal("kritai") }),
  ),
});

/** More than any client's menu shows; a spec beyond them works by its name all the same. */
const MODELS_MAX = 500;

async function storedNames({ specs }: RouteDeps): Promise<string[]> {
  try {
    return await specs.names(MODELS_MAX);
  } catch (error) {
    if (error instanceof ApiError && error.code === "not_configured") return [];
    throw error;
  }
}

/** `default` first, then the stored specs. Specs carry no date here, so `created` is 0. */
export function models(deps: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const stored = await timedStore(deps.clock, c.get("scope"), () => storedNames(deps));
    const data = ["default", ...stored.filter((name) => name !== "default")].map((id) => ({
      id,
      object: "model" as const,
      created: 0,
      owned_by: "kritai" as const,
    }));
    return c.json({ object: "list", data } satisfies z.output<typeof ModelsReplySchema>);
  };
}
