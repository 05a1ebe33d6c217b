// Decides which models a key may have judge: the grammar of MODELS, and the refusal of any other. Must not
// know HTTP or storage.
import { ApiError } from "../faults/errors.ts";
import { LIMITS } from "../faults/limits.ts";
import type { Spec } from "./spec.ts";

/** As a key's name: keys without a list; as a model's: any model. */
const ALL = "*";

const KEYED = /^(\*|[A-Za-z0-9._-]{1,64})\s*:(.*)$/s;

/** Names of models, by key; `*` is every key without a list. */
type ModelLists = ReadonlyMap<string, readonly string[]>;

/**
 * The models that may judge: those that the deployment itself asks for, which every key may name, and the
 * lists.
 */
export interface AllowedModels {
  configured: readonly string[];
  lists: ModelLists;
}

/**
 * Reads `name1,name2; trainer:name3`: the models of everybody, and those of the key `trainer`,
 * which replace them. Before the first colon stands a key: a model's name that has one needs `*:`
 * before it. The model `*` is any.
 * @throws RangeError for anything else
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

/** The keys that have a list. */
export const keysOf = (lists: ModelLists): string[] => [...lists.keys()].filter((key) => key !== ALL);

function allowedTo({ configured, lists }: AllowedModels, key: string | null): string[] {
  const listed = (key === null ? undefined : lists.get(key)) ?? lists.get(ALL) ?? [];
  return [...new Set([...configured, ...listed])];
}

/**
 * Throws `model_not_allowed`, naming what is, for a spec whose `judge.model` the key may not have
 * judge.
 * @param path the field that names the model, or the spec with it
 */
export function requireModel(
  allowed: AllowedModels,
  key: string | null,
  { judge: { model } }: Pick<Spec, "judge">,
  path: string,
): void {
  if (model === null) return;
  const names = allowedTo(allowed, key);
  if (names.includes(model) || names.includes(ALL)) return;
  const may = names.length === 0 ? "none" : names.join(", ");
  const message = `this key cannot use model ${JSON.stringify(model)}; allowed: ${may}; omit it for the default`;
  throw new ApiError("model_not_allowed", `${path}: ${message}. The variable MODELS allows more.`, {
    errors: [{ path, message }],
  });
}

/** For a spec that is stored for others: what any key may have judge. Throws as `requireModel`. */
export function requireModelOfAny(allowed: AllowedModels, spec: Pick<Spec, "judge">, path: string): void {
  const all = [...new Set([...allowed.lists.values()].flat())];
  requireModel({ ...allowed, lists: new Map([[ALL, all]]) }, null, spec, path);
}
