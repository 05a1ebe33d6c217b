// Owns what a request to the gateway needs: where it goes, with which headers, and the bounds that
// it shares with others. Must not know what is asked.
import type { HeaderSlots } from "../../core/wire/questions.ts";
import type { Clock } from "../../scoring/ports.ts";
import type { Schedule } from "../fan-out/stall-watchdog.ts";

export interface GatewayEndpoint {
  url: string;
  headers: Record<string, string>;
  fetch: typeof fetch;
  clock: Clock;
  /** Timer of the watch for silence. */
  watch: Schedule;
  /** Where the deployment says the gateway's key. */
  key_variable: string;
  /** The places for requests that wait for headers, shared with the session's others. */
  slots: HeaderSlots;
  /** Takes leave for one request beside those that ask; false where a Worker may send no more. */
  mayAskBeside: () => boolean;
}
