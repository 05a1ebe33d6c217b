// Entry point of the gateway as a standalone program: flags, variables, the ready line, and draining on
// SIGTERM.
import { createEnginePool } from "./engines/create.ts";
import { readGatewayEnv } from "./env.ts";
import { startGateway } from "./http/server.ts";
import { takeOnlyHelp } from "./only-help.ts";
import { gatewayHelp } from "./usage.ts";

takeOnlyHelp(gatewayHelp());

const { config, faults } = readGatewayEnv(process.env);
if (config === null) {
  for (const fault of faults) console.error(fault);
  process.exit(1);
}

const pool = createEnginePool({
  urls: config.ENGINE_URL,
  model: config.ENGINE_MODEL,
  apiKey: config.ENGINE_API_KEY ?? null,
  maxInFlight: config.ENGINE_MAX_IN_FLIGHT,
  kind: config.ENGINE_KIND ?? null,
  simulated: config.ENGINE_SIMULATED === "on",
  tokens: config.ENGINE_TOKENS ?? [],
  report: (line) => console.error(JSON.stringify(line)),
});
const gateway = await startGateway({
  host: config.HOST,
  port: config.PORT,
  pool,
  apiKey: config.GATEWAY_API_KEY ?? null,
  ...(config.SCALAR_URL && { scalar: { urls: config.SCALAR_URL, apiKey: config.SCALAR_API_KEY ?? null } }),
  queue_tokens_max: config.GATEWAY_QUEUE_TOKENS,
}).catch((fault: NodeJS.ErrnoException) => {
  console.error(`cannot listen on ${config.HOST}:${config.PORT}: ${fault.code ?? fault.name}`);
  process.exit(1);
});
console.log(`ready ${gateway.url}`);

for (const name of ["SIGTERM", "SIGINT"] as const) {
  process.once(name, () => {
    gateway.close(config.GATEWAY_DRAIN_MS).then(
      () => process.exit(0),
      () => process.exit(1),
    );
  });
}
