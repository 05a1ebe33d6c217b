// Entry point of the simulator as a standalone program: flags, variables, the ready line, and a clean
// shutdown.
import * as z from "zod";
import { takeOnlyHelp } from "../../gateway/only-help.ts";
import { EnvSchema, simulatorHelp } from "./env.ts";
import { startSimulator } from "./server.ts";

takeOnlyHelp(simulatorHelp());
const parsed = EnvSchema.safeParse(process.env);
if (!parsed.success) {
  console.error(z.prettifyError(parsed.error));
  process.exit(2);
}
const { HOST, PORT, MODEL, GPU, SCALE, SEED, FLAVOUR, THINKING_TOKENS, STREAM_TOKENS, FAULT } = parsed.data;
const simulator = await startSimulator({
  host: HOST,
  port: PORT,
  model: MODEL,
  gpu: GPU,
  scale: SCALE,
  seed: SEED,
  flavour: FLAVOUR,
  stream_tokens: STREAM_TOKENS,
  ...(THINKING_TOKENS !== undefined && { noise: { thinking_median_tokens: THINKING_TOKENS } }),
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
