// The simulator as a Worker: options from one JSON variable, one engine per isolate.
import { createSimulator, type Simulator, type SimulatorOptions } from "./simulator.ts";

let simulator: Simulator | null = null;

export default {
  /** Creates the engine on the first request, because a Worker's clock does not run before that. */
  fetch(request: Request, env: { OPTIONS: string }): Promise<Response> {
    simulator ??= createSimulator(JSON.parse(env.OPTIONS) as SimulatorOptions, "own");
    return simulator.fetch(request, null);
  },
};
