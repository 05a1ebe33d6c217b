// Replaces zod for our modules in the Worker's bundle: a schema is built at its first use instead of when
// its module is evaluated, which took a quarter of a cold start's CPU. `meta` and `describe` do nothing,
// because only the OpenAPI document, which is built with zod itself, reads descriptions.
import * as zod from "zod";

export { NEVER, ZodBoolean, ZodError, ZodNullable, ZodNumber, ZodOptional } from "zod";

type Built = Record<PropertyKey, unknown>;
type Fields = Readonly<Record<string, unknown>>;

/** A schema that is not built yet. */
interface Plan {
  build: () => Built;
  built: Built | null;
  /** The fields of an object, known before it is built. */
  shape: Fields | undefined;
  /** The options of a union, known before it is built. */
  options: unknown;
}

/** Key under which a planned schema returns the built one. */
const BUILT = Symbol("built");

/** Methods that return an object with the same fields. */
const SAME_FIELDS: ReadonlySet<PropertyKey> = new Set("catchall check loose refine strict superRefine".split(" "));

/** Methods that return another schema. */
const DERIVING: ReadonlySet<PropertyKey> = new Set([
  ...SAME_FIELDS,
  ..."array catch default exactOptional gt gte int keyof length lt lte max min nonnegative nullable nullish".split(" "),
  ..."optional or overwrite partial pipe positive prefault readonly regex required startsWith".split(" "),
  ..."transform trim unwrap".split(" "),
]);

/** Methods that return an object with other fields. */
const FIELDS_OF: Readonly<Record<string, (fields: Fields, given: Fields) => Fields>> = {
  extend: (fields, given) => ({ ...fields, ...given }),
  safeExtend: (fields, given) => ({ ...fields, ...given }),
  pick: (fields, given) => Object.fromEntries(Object.entries(fields).filter(([name]) => name in given)),
  omit: (fields, given) => Object.fromEntries(Object.entries(fields).filter(([name]) => !(name in given))),
};

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
const builtOf = (value: unknown) => (isObject(value) ? ((value as Built)[BUILT] ?? value) : value);

/** A method's argument, which may be a schema, a list of schemas or an object's fields. */
function builtArgument(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(builtOf);
  const isPlain = isObject(given) && Object.getPrototypeOf(given) === Object.prototype;
  return isPlain
    ? Object.fromEntries(Object.entries(given).map(([name, field]) => [name, builtOf(field)]))
    : builtOf(given);
}

function built(plan: Plan): Built {
  plan.built ??= plan.build();
  return plan.built;
}

function member(plan: Plan, name: PropertyKey, self: unknown): unknown {
  const { shape, options } = plan;
  if (name === BUILT) return built(plan);
  if (name === "meta" || name === "describe") return (...given: unknown[]) => (given.length > 0 ? self : undefined);
  if (name === "shape" && shape !== undefined) return shape;
  if (name === "options" && options !== undefined) return options;
  const fieldsOf = shape === undefined ? undefined : FIELDS_OF[name as string];
  if (shape !== undefined && fieldsOf !== undefined)
    return (given: Fields) => planned(() => called(plan, name, [given]), fieldsOf(shape, given));
  const fields = SAME_FIELDS.has(name) ? shape : undefined;
  if (DERIVING.has(name)) return (...given: unknown[]) => planned(() => called(plan, name, given), fields);
  const value = built(plan)[name];
  return typeof value === "function" ? value.bind(plan.built) : value;
}

function called(plan: Plan, method: PropertyKey, given: readonly unknown[]): Built {
  const schema = built(plan) as Record<PropertyKey, (...given: unknown[]) => Built>;
  return schema[method]?.(...given.map(builtArgument)) as Built;
}

const HANDLER: ProxyHandler<Plan> = {
  get: member,
  has: (plan, name) => name in built(plan),
  getPrototypeOf: (plan) => Object.getPrototypeOf(built(plan)),
};

const planned = (build: () => Built, shape?: Fields, options?: unknown) =>
  new Proxy<Plan>({ build, built: null, shape, options }, HANDLER);

/** The function that plans what `make` builds. */
const later =
  (make: unknown, { shape, options }: { shape?: boolean; options?: boolean } = {}) =>
  (...given: unknown[]) =>
    planned(
      () => (make as (...given: unknown[]) => Built)(...given.map(builtArgument)),
      shape === true ? ((given[0] ?? {}) as Fields) : undefined,
      options === true ? given[0] : undefined,
    );

export const array = later(zod.array);
export const boolean = later(zod.boolean);
export const custom = later(zod.custom);
export const discriminatedUnion = later(zod.discriminatedUnion);
export const int = later(zod.int);
export const literal = later(zod.literal);
export const looseObject = later(zod.looseObject, { shape: true });
export const never = later(zod.never);
export const number = later(zod.number);
export const object = later(zod.object, { shape: true });
export const partialRecord = later(zod.partialRecord);
export const preprocess = later(zod.preprocess);
export const record = later(zod.record);
export const strictObject = later(zod.strictObject, { shape: true });
export const string = later(zod.string);
export const tuple = later(zod.tuple);
export const union = later(zod.union, { options: true });
export const unknown = later(zod.unknown);
export const url = later(zod.url);
const enumOf = later(zod.enum);
const instanceOf = later(zod.instanceof);
const nothing = later(zod.null);

export { enumOf as enum, instanceOf as instanceof, nothing as null };
export const coerce = { number: later(zod.coerce.number) };
export const iso = { datetime: later(zod.iso.datetime) };
