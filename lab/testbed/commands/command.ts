// Defines what the commands have in common: reading their options, and the engine and cache they measure
// with.
import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import * as z from "zod";
import { FlagFault, readFlags } from "../../../gpu-backend/flags.ts";
import { makeFolder } from "../../../scripts/command-line/out-folder.ts";
import { createEmbeddedEngine } from "../engines/embedded.ts";
import type { ExecutionEngine } from "../engines/engine.ts";
import { createSandboxFusionEngine } from "../engines/sandbox-fusion.ts";
import { Meter } from "../sets/measuring.ts";
import { PassRateCache } from "../sets/pass-rate-cache.ts";

export interface Command {
  summary: string;
  /** Everything `--help` prints below the summary. */
  help: string;
  /** Throws UsageError for options that make no sense. Resolves with the exit status. */
  run(args: string[]): Promise<number>;
}

export class UsageError extends Error {}

interface OptionSpec {
  type: "string" | "boolean";
  /** It may be given several times. */
  multiple?: boolean;
}
export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

type Value<S extends OptionSpec> = S extends { multiple: true }
  ? string[]
  : S extends { type: "boolean" }
    ? boolean
    : string;

function schemaOf({ type, multiple }: OptionSpec): z.ZodType {
  if (type === "boolean") return z.boolean().optional();
  return multiple === true ? z.array(z.string()).optional() : z.string().optional();
}

/** The options given; throws UsageError for one that is unknown or has no value. */
export function readOptions<const O extends OptionSpecs>(args: string[], options: O) {
  const schema = z.object(Object.fromEntries(Object.entries(options).map(([name, spec]) => [name, schemaOf(spec)])));
  try {
    const { flags, positionals } = readFlags(schema, args, { positionals: true });
    return { values: flags as { [name in keyof O]?: Value<O[name]> }, positionals };
  } catch (fault) {
    if (!(fault instanceof FlagFault)) throw fault;
    throw new UsageError(fault.message);
  }
}

export function required(value: string | undefined, name: string): string {
  if (value === undefined || value === "") throw new UsageError(`--${name} is required`);
  return value;
}

/** A whole number in low..high. */
export function wholeNumber(
  text: string | undefined,
  name: string,
  fallback: number,
  [low, high]: [number, number],
): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < low || value > high) {
    throw new UsageError(`--${name} must be an integer from ${low} to ${high}`);
  }
  return value;
}

/** Comma-separated numbers, one for each of train, validation and test. */
export function numberPerSplit(
  text: string | undefined,
  name: string,
  fallback: Record<"train" | "validation" | "test", number>,
): Record<"train" | "validation" | "test", number> {
  if (text === undefined) return fallback;
  const [train = Number.NaN, validation = Number.NaN, test = Number.NaN, ...more] = text.split(",").map(Number);
  if (more.length > 0 || ![train, validation, test].every((value) => value >= 0)) {
    throw new UsageError(`--${name} must be three numbers: train,validation,test`);
  }
  return { train, validation, test };
}

/** Options of every command that runs programs. */
export const ENGINE_OPTIONS = {
  engine: { type: "string" },
  cache: { type: "string" },
  remeasure: { type: "boolean" },
  workers: { type: "string" },
} as const satisfies OptionSpecs;

export const ENGINE_HELP = `  --engine embedded|URL  embedded (Python and JavaScript in WebAssembly, default) or a SandboxFusion server's root
  --cache FILE           cache of measurements by content (default .kritai/testbed/pass-rates.jsonl)
  --remeasure            run everything again, ignoring recorded results
  --workers N            programs that the embedded engine runs concurrently (default: cores minus one, 1 to 4)`;

const CACHE_FILE = ".kritai/testbed/pass-rates.jsonl";

function engineNamed(name: string, workers: number | undefined): ExecutionEngine {
  if (name === "embedded") return createEmbeddedEngine(workers);
  if (!URL.canParse(name)) throw new UsageError("--engine must be embedded or a URL");
  return createSandboxFusionEngine({ url: name });
}

/** Does the work with a meter and closes its engine afterwards, however the work ends. */
export async function withMeter<R>(
  values: {
    engine?: string | undefined;
    cache?: string | undefined;
    remeasure?: boolean | undefined;
    workers?: string | undefined;
  },
  work: (meter: Meter) => Promise<R>,
): Promise<R> {
  const workers = values.workers === undefined ? undefined : wholeNumber(values.workers, "workers", 1, [1, 64]);
  const file = values.remeasure ? null : (values.cache ?? CACHE_FILE);
  if (file !== null && !existsSync(file)) makeFolder("--cache", dirname(file), [basename(file)]);
  const engine = engineNamed(values.engine ?? "embedded", workers);
  const cache = await PassRateCache.open(file);
  try {
    return await work(new Meter(engine, cache));
  } finally {
    await engine.close();
  }
}

/** Progress goes to standard error, so that standard output can be piped. */
export const log = (line: string): void => console.error(line);
