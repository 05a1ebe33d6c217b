// GET /v1/models and /v1/models/:id: lists specs as chat models.
import * as z from "zod";
import { SpecNameSchema } from "../../core/contract/request-fields.ts";
import { ApiError } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { timedStore } from "../../scoring/request-scope.ts";
import type { AppDeps } from "../door/deps.ts";
import type { AppContext } from "../door/scope.ts";

export const ModelReplySchema = z.object({
  id: z.string(),
  object: z.literal("model"),
  created: z.int(),
  owned_by: z.literal("kritai"),
});

export const ModelsReplySchema = z.object({ object: z.literal("list"), data: z.array(ModelReplySchema) });

/** Describes a spec as a model. `created` is 0, because the creation date is not read. */
const modelOf = (id: string): z.output<typeof ModelReplySchema> => ({
  id,
  object: "model",
  created: 0,
  owned_by: "kritai",
});

/** Maximum number of listed models, more than a menu can show. Specs that are not listed still work. */
const MODELS_MAX = 500;

async function storedNames({ specs }: AppDeps): Promise<string[]> {
  try {
    return await specs.names(MODELS_MAX);
  } catch (error) {
    if (error instanceof ApiError && error.code === "not_configured") return [];
    throw error;
  }
}

/** Handles the list of models: `default` first, then the stored specs. */
export function models(deps: AppDeps) {
  return async (c: AppContext): Promise<Response> => {
    const stored = await timedStore(deps.clock, c.get("scope"), () => storedNames(deps));
    const data = ["default", ...stored.filter((name) => name !== "default")].map(modelOf);
    return c.json({ object: "list", data } satisfies z.output<typeof ModelsReplySchema>);
  };
}

/** Handles a single model. Throws `unknown_spec`, which OpenAI's clients receive as 404 `model_not_found`. */
export function model(deps: AppDeps) {
  return async (c: AppContext): Promise<Response> => {
    const name = c.req.param("id") ?? "";
    if (name === "default") return c.json(modelOf(name));
    const isStored = SpecNameSchema.safeParse(name).success && (await isKnown(deps, c, name));
    if (!isStored) throw unknownSpec(name);
    return c.json(modelOf(name));
  };
}

async function isKnown({ clock, specs }: AppDeps, c: AppContext, name: string): Promise<boolean> {
  try {
    return (await timedStore(clock, c.get("scope"), () => specs.get(name))) !== null;
  } catch (error) {
    if (error instanceof ApiError && error.code === "not_configured") return false;
    throw error;
  }
}

const unknownSpec = (name: string): ApiError =>
  new ApiError(
    "unknown_spec",
    `Model ${JSON.stringify(name.slice(0, LIMITS.name_chars))} does not exist. GET /v1/models lists the models.`,
  );
