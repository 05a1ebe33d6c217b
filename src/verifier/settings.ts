// Schemas of the backend settings, derived from the table of kinds. Independent of where the configuration
// comes from.
import * as z from "zod";
import { BACKENDS } from "./table.ts";

/** One configured backend: these fields, plus its kind's own settings. */
export interface BackendSettings {
  protocol: string;
  /** Default: a name derived from the backend's index. */
  name?: string | undefined;
  url: string;
  api_key?: string | undefined;
  /** Name of the setting that holds the key; default: derived from the backend's index. */
  key_variable?: string;
  /** For kinds that are configured with a model name. */
  model?: string | undefined;
}

/** A backend's address: an http or https URL. */
export const backendUrl = z.url({ protocol: /^https?$/, message: "must be an http or https URL" }).max(2048);

/** Kinds that may be named in a verifier's variables. */
const VERIFIERS = BACKENDS.filter(({ apart }) => apart !== true);

/** Protocol names of the kinds; the first is the default. */
export const PROTOCOLS = VERIFIERS.map(({ protocol }) => protocol) as [string, ...string[]];

/** Names of the settings specific to a kind. */
export const ownSettings = (protocol: string): readonly string[] =>
  BACKENDS.flatMap((kind) => (kind.protocol === protocol ? Object.keys(kind.settings.shape) : []));

/** Whether every backend that compares candidates supports priorities for questions that can wait. */
export function knowPriorities(backends: readonly BackendSettings[]): boolean {
  const kinds = backends.map(({ protocol }) => BACKENDS.find((kind) => kind.protocol === protocol));
  return kinds.some((kind) => kind?.priorities === true) && kinds.every((kind) => kind?.priorities !== false);
}

const ENTRIES = VERIFIERS.map(({ protocol, settings, binding }, at) =>
  z.strictObject({
    protocol: at === 0 ? z.literal(protocol).default(protocol) : z.literal(protocol),
    name: z
      .string()
      .regex(/^[A-Za-z0-9._-]{1,64}$/)
      .optional(),
    url: binding === undefined ? backendUrl : z.union([backendUrl, z.literal(binding)]),
    api_key: z.string().max(4096).optional(),
    ...settings.shape,
  }),
);

/** Schema of a backend's settings; without a protocol, the table's first kind applies. */
export const BackendSchema = z.discriminatedUnion(
  "protocol",
  ENTRIES as unknown as [z.ZodObject],
) as unknown as z.ZodType<BackendSettings>;
