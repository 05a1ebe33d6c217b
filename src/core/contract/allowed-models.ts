// Restricts which models a key may use as judges: parses the variable MODELS, and rejects specs that name any
// other model. Independent of HTTP and storage.
import { ApiError } from "../faults/errors.ts";
import { LIMITS } from "../faults/limits.ts";
import type { FlatSpec } from "./spec.ts";

/** Wildcard. As a key name, it stands for every key without its own list; as a model name, for any model. */
const ALL = "*";

const KEYED = /^(\*|[A-Za-z0-9._-]{1,64})\s*:(.*)$/s;

/** Model names per key. `*` applies to every key without its own list. */
type ModelLists = ReadonlyMap<string, readonly string[]>;

/**
 * The models that may judge: those configured for the deployment, which every key may name, and additional
 * lists per key.
 */
export interface AllowedModels {
  configured: readonly string[];
  lists: ModelLists;
}

/**
 * Parses `name1,name2; trainer:name3`. Here the first list applies to all keys without their own list, and
 * the key `trainer` has its own. The part before the first colon is taken as a key name, so a model name that
 * contains a colon needs the prefix `*:`. The model `*` allows any model.
 * @throws RangeError for any other syntax
 */
export function parseModels(text: string): ModelLists {
  const lists = new Map<string, readonly string[]>();
  const entries = text.split(";").flatMap((entry) => entry.trim() || []);
  if (entries.length > LIMITS.keys_max + 1) throw new RangeError("too many keys");
  for (const entry of entries) {
    const [, key = ALL, names = entry] = KEYED.exec(entry) ?? [];
    const models = names.split(",").map((name) => name.trim());
    const wrong = models.some((name) => !/^\S+$/.test(name) || name.length > LIMITS.model_chars);
    if (lists.has(key) || wrong || models.length > LIMITS.models_max) throw new RangeError("not a list of models");
    lists.set(key, models);
  }
  return lists;
}

/** The keys that have their own list. */
export const keysOf = (lists: ModelLists): string[] => [...lists.keys()].filter((key) => key !== ALL);

function allowedTo({ configured, lists }: AllowedModels, key: string | null): string[] {
  const listed = (key === null ? undefined : lists.get(key)) ?? lists.get(ALL) ?? [];
  return [...new Set([...configured, ...listed])];
}

/**
 * Throws `model_not_allowed` if the key may not use the spec's `judge.model`. The message lists the allowed
 * models.
 * @param path the field that names the model, or the spec that contains it
 */
export function requireModel(
  allowed: AllowedModels,
  key: string | null,
  { judge: { model } }: Pick<FlatSpec, "judge">,
  path: string,
): void {
  if (model === null) return;
  const names = allowedTo(allowed, key);
  if (names.includes(model) || names.includes(ALL)) return;
  const may = names.length === 0 ? "none" : names.join(", ");
  const message = `this key cannot use model ${JSON.stringify(model)}; allowed: ${may}; omit the field to use the default`;
  throw new ApiError(
    "model_not_allowed",
    `${path}: ${message}. The operator can allow more models in the variable MODELS.`,
    {
      errors: [{ path, message }],
    },
  );
}

/**
 * Checks a spec that is stored for several keys: allows every model that at least one key may use. Throws
 * like `requireModel`.
 */
export function requireModelOfAny(allowed: AllowedModels, spec: Pick<FlatSpec, "judge">, path: string): void {
  const all = [...new Set([...allowed.lists.values()].flat())];
  requireModel({ ...allowed, lists: new Map([[ALL, all]]) }, null, spec, path);
}
