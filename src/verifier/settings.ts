// Defines what a configuration may say of a backend, as the table of kinds has it. Must not know where the
// configuration comes from.
import * as z from "zod";
import { BACKENDS } from "./table.ts";

/** One backend as configured: these, and its kind's own settings. */
export interface BackendSettings {
  protocol: string;
  /** Absent: its place among the backends names it. */
  name?: string | undefined;
  url: string;
  api_key?: string | undefined;
  /** Where the configuration says its key; absent: its place among the backends tells. */
  key_variable?: string;
  /** For a kind that is configured with a model's name. */
  model?: string | undefined;
}

/** Where a backend is: an http or https URL. */
export const backendUrl = z.url({ protocol: /^https?$/, message: "must be an http or https URL" }).max(2048);

/** The kinds that a verifier's variables may name. */
const VERIFIERS = BACKENDS.filter(({ apart }) => apart !== true);

/** Names of the kinds; the first is the default. */
export const PROTOCOLS = VERIFIERS.map(({ protocol }) => protocol) as [string, ...string[]];

/** The names of a kind's own settings. */
export const ownSettings = (protocol: string): readonly string[] =>
  BACKENDS.flatMap((kind) => (kind.protocol === protocol ? Object.keys(kind.settings.shape) : []));

/** Whether every backend here that compares texts takes priorities of questions that can wait for others. */
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

/** A backend's settings; without a protocol it is of the table's first kind. */
export const BackendSchema = z.discriminatedUnion(
  "protocol",
  ENTRIES as unknown as [z.ZodObject],
) as unknown as z.ZodType<BackendSettings>;
