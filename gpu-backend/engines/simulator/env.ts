// The simulator's environment variables: their schema and their descriptions in `--help`.
import * as z from "zod";
import type { VariablesHelp } from "../../gateway/only-help.ts";
import { FAULT_NAMES, parseFault } from "./faults.ts";
import { GPU_NAMES, MODEL_NAMES } from "./parameters.ts";

function requireFault(text: string | undefined, context: z.RefinementCtx): void {
  try {
    if (text !== undefined) parseFault(text);
  } catch (fault) {
    context.addIssue((fault as RangeError).message);
  }
}

export const EnvSchema = z.object({
  HOST: z.string().default("127.0.0.1"),
  PORT: z.coerce.number().int().min(0).max(65_535).default(8791),
  MODEL: z.enum(MODEL_NAMES).default("sim-14b"),
  GPU: z.enum(GPU_NAMES).default("h200"),
  SCALE: z
    .union([z.literal("instant"), z.coerce.number().positive()], 'must be a number above 0 or "instant"')
    .default(1),
  SEED: z.coerce.number().int().default(0),
  FLAVOUR: z.enum(["vllm", "sglang"]).default("vllm"),
  THINKING_TOKENS: z.coerce.number().int().min(0).max(1_000_000).optional(),
  STREAM_TOKENS: z.coerce.number().int().min(1).default(16),
  FAULT: z.string().optional().superRefine(requireFault),
});
type Env = z.output<typeof EnvSchema>;

const HELP: Readonly<Record<keyof Env, string>> = {
  HOST: "address to listen on",
  PORT: "port to listen on; 0: any free port",
  MODEL: `preset and served name: ${MODEL_NAMES.join(", ")}`,
  GPU: GPU_NAMES.join(", "),
  SCALE: "simulated seconds per real second; `instant` disables queue and delay",
  SEED: "seed of all random draws",
  FLAVOUR: "vllm or sglang: whose metric names and error shapes to use",
  THINKING_TOKENS: "median thinking tokens; default: the model's; 0: no thinking",
  STREAM_TOKENS: "tokens per event of a stream",
  FAULT: `fault for every question that does not name one, as NAME or NAME;option=number: ${FAULT_NAMES.join(", ")}`,
};

/** Every variable of the simulator with its default from the schema. */
export function simulatorHelp(): VariablesHelp {
  const defaults = EnvSchema.parse({});
  const variables = Object.entries(HELP).map(
    ([name, help]) => [name, { help, standard: String(defaults[name as keyof Env] ?? "none") }] as const,
  );
  return {
    command: "simulator",
    description:
      "Serves an OpenAI-compatible engine without a GPU (gpu-backend/engines/simulator/README.md), and prints `ready URL`.",
    variables: Object.fromEntries(variables),
  };
}
