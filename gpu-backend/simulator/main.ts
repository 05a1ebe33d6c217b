// Owns running the simulator as a program of its own: variables, the ready line, a clean end. Knows nothing else.
import * as z from "zod";
import { parseFault } from "./faults.ts";
import { GPU_NAMES, MODEL_NAMES } from "./parameters.ts";
import { startSimulator } from "./server.ts";

function requireFault(text: string | undefined, context: z.RefinementCtx): void {
  try {
    if (text !== undefined) parseFault(text);
  } catch (fault) {
    context.addIssue((fault as RangeError).message);
  }
}

const EnvSchema = z.object({
  HOST: z.string().default("127.0.0.1"),
  PORT: z.coerce.number().int().min(0).max(65_535).default(8791),
  MODEL: z.enum(MODEL_NAMES).default("sim-14b"),
  GPU: z.enum(GPU_NAMES).default("h200"),
  SCALE: z
    .union([z.literal("instant"), z.coerce.number().positive()], 'must be a number above 0 or "instant"')
    .default(1),
  SEED: z.coerce.number().int().default(0),
  FLAVOUR: z.enum(["vllm", "sglang"]).default("vllm"),
  STREAM_TOKENS: z.coerce.number().int().min(1).default(16),
  FAULT: z.string().optional().superRefine(requireFault),
});

const parsed = EnvSchema.safeParse(process.env);
if (!parsed.success) {
  console.error(z.prettifyError(parsed.error));
  process.exit(2);
}
const { HOST, PORT, MODEL, GPU, SCALE, SEED, FLAVOUR, STREAM_TOKENS, FAULT } = parsed.data;
const simulator = await startSimulator({
  host: HOST,
  port: PORT,
  model: MODEL,
  gpu: GPU,
  scale: SCALE,
  seed: SEED,
  flavour: FLAVOUR,
  stream_tokens: STREAM_TOKENS,
  fault: FAULT ?? null,
}).catch((fault: NodeJS.ErrnoException) => {
  console.error(`cannot listen on ${HOST}:${PORT}: ${fault.code ?? fault.message}`);
  process.exit(1);
});
console.log(`ready ${simulator.url}`);

for (const name of ["SIGTERM", "SIGINT"] as const) {
  process.once(name, () => {
    simulator.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  });
}
