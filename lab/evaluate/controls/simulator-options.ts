// Decides which options `--simulator` takes: those of the simulator that make sense behind an evaluation.
// Starts nothing.
import * as z from "zod";
import { parseFault } from "../../../gpu-backend/engines/simulator/faults.ts";
import { GPU_NAMES, MODEL_NAMES, type NoiseParameters } from "../../../gpu-backend/engines/simulator/parameters.ts";
import type { SimulatorOptions } from "../../../gpu-backend/engines/simulator/simulator.ts";

const share = z.number().min(0).max(1).optional();
const from0 = z.number().min(0).optional();

const NoiseSchema = z.strictObject({
  discrimination: from0,
  lapse_rate: share,
  position_bias: z.number().optional(),
  parse_rate: share,
  loop_rate: share,
  thinking_median_tokens: z.number().min(1).optional(),
  thinking_sigma: from0,
  box_sharpness: z.number().positive().optional(),
} satisfies Record<keyof NoiseParameters, z.ZodType>);

const fault = z.string().superRefine((text, context) => {
  try {
    parseFault(text);
  } catch (error) {
    context.addIssue((error as Error).message);
  }
});

const OptionsSchema = z.strictObject({
  model: z.enum(MODEL_NAMES).optional(),
  gpu: z.enum(GPU_NAMES).optional(),
  scale: z
    .union(
      [z.literal("instant"), z.number().positive()],
      'must be "instant" or a number above 0 (simulated seconds per real second: 20 runs twenty times as fast)',
    )
    .optional(),
  seed: z.int().optional(),
  noise: NoiseSchema.optional(),
  stream_tokens: z.int().min(1).optional(),
  fault: fault.optional(),
});

/** The options as given. @throws Error that names the field and what it takes */
export function readSimulatorOptions(value: unknown): SimulatorOptions {
  const parsed = OptionsSchema.safeParse(value);
  if (parsed.success) return value as SimulatorOptions;
  const { path, message } = parsed.error.issues[0] as z.core.$ZodIssue;
  throw new Error(`--simulator: ${path.join(".") || "the options"}: ${message}`);
}
