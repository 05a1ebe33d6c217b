// The simulator as a Worker: options from one JSON variable, one engine an isolate.
import { createSimulator, type Simulator, type SimulatorOptions } from "./simulator.ts";

let simulator: Simulator | null = null;

export default {
  /** The engine is made with the first request: a Worker's clock stands still before that. */
  fetch(request: Request, env: { OPTIONS: string }): Promise<Response> {
    simulator ??= createSimulator(JSON.parse(env.OPTIONS) as SimulatorOptions, "own");
    return simulator.fetch(request, null);
  },
};
