// The output of `npm run gateway -w gpu-backend -- --help`.
import { type GatewayEnv, readGatewayEnv } from "./env.ts";
import type { VariablesHelp } from "./only-help.ts";

const HELP: Readonly<Record<keyof GatewayEnv, string>> = {
  ENGINE_URL: "base URLs of OpenAI-compatible engines, separated by commas",
  ENGINE_MODEL: "model name at the engines",
  ENGINE_API_KEY: "API key sent to the engines",
  ENGINE_KIND: "vllm, sglang or other; if omitted, it is read from the engine's metrics",
  ENGINE_SIMULATED: "on: the engine is the simulator and receives the templates stored in the deployment",
  ENGINE_TOKENS:
    "JSON file with the tokenizer's tokens, for engines that do not report them (tokenizer_config.json, tokenizer.json or a list)",
  ENGINE_MAX_IN_FLIGHT: "maximum generations in flight per engine",
  SCALAR_URL: "base URLs of scalar reward-model servers, separated by commas; requests to their paths are forwarded",
  SCALAR_API_KEY: "API key sent to the scalar servers",
  PORT: "port to listen on; 0: any free port",
  HOST: "address to listen on",
  GATEWAY_API_KEY:
    "key that callers must send as a Bearer token, at least 16 characters; required if HOST is not a loopback address",
  GATEWAY_QUEUE_TOKENS: "maximum estimated prompt tokens waiting, over all requests",
  GATEWAY_DRAIN_MS: "time that running requests may continue after SIGTERM, in ms",
};

const REQUIRED = { ENGINE_URL: "http://engine", ENGINE_MODEL: "model" };

/** Every variable of the gateway with its default from the schema. */
export function gatewayHelp(): VariablesHelp {
  const config = readGatewayEnv(REQUIRED).config as GatewayEnv;
  const variables = Object.entries(HELP).map(([name, help]) => {
    const standard = Object.hasOwn(REQUIRED, name) ? "required" : String(config[name as keyof GatewayEnv] ?? "none");
    return [name, { help, standard }] as const;
  });
  return {
    command: "gateway",
    description:
      "Serves the verify protocol (docs/verify-protocol.md) in front of inference engines, and prints `ready URL`.",
    variables: Object.fromEntries(variables),
  };
}
