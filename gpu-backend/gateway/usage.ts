// Defines what `npm run gateway -w gpu-backend -- --help` says. Knows the variables by their schema, and none
// of their values.
import { type GatewayEnv, readGatewayEnv } from "./env.ts";
import type { VariablesHelp } from "./only-help.ts";

const HELP: Readonly<Record<keyof GatewayEnv, string>> = {
  ENGINE_URL: "base URLs of OpenAI-compatible engines, separated by commas",
  ENGINE_MODEL: "the model's name at the engines",
  ENGINE_API_KEY: "sent to the engines",
  ENGINE_KIND: "vllm, sglang or other; without it the engine's metrics page says which",
  ENGINE_SIMULATED: "on: the engine is the simulator, which is told the templates that a deployment stored",
  ENGINE_TOKENS:
    "a JSON file with the tokenizer's tokens, for engines that do not tell them (tokenizer_config.json, tokenizer.json or a list)",
  ENGINE_MAX_IN_FLIGHT: "generations at one engine at most",
  SCALAR_URL: "base URLs of servers of scalar reward models, separated by commas: their paths are passed on",
  SCALAR_API_KEY: "sent to those",
  PORT: "where to listen; 0: any free port",
  HOST: "the address to listen on",
  GATEWAY_API_KEY:
    "what callers must send as a Bearer token, at least 16 characters; required where HOST is not loopback",
  GATEWAY_QUEUE_TOKENS: "prompt tokens that may wait, estimated, over all requests",
  GATEWAY_DRAIN_MS: "how long running requests may go on after SIGTERM, ms",
};

const REQUIRED = { ENGINE_URL: "http://engine", ENGINE_MODEL: "model" };

/** Every variable of the gateway with its default as the schema has it. */
export function gatewayHelp(): VariablesHelp {
  const config = readGatewayEnv(REQUIRED).config as GatewayEnv;
  const variables = Object.entries(HELP).map(([name, help]) => {
    const standard = Object.hasOwn(REQUIRED, name) ? "required" : String(config[name as keyof GatewayEnv] ?? "none");
    return [name, { help, standard }] as const;
  });
  return {
    command: "gateway",
    description:
      "Serves the verify protocol (docs/verify-protocol.md) before inference engines, and prints `ready URL`.",
    variables: Object.fromEntries(variables),
  };
}
