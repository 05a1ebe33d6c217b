// Finds out whether anybody answers at an address before anything is measured there.
const WAIT_MS = 10_000;

/**
 * Throws where the address gives no answer of whatever status, naming the flag and the reason.
 * @param flag that named it
 * @param stop ends the wait; its reason is thrown
 */
export async function assertAnswers(flag: string, base_url: string, stop?: AbortSignal): Promise<void> {
  const late = AbortSignal.timeout(WAIT_MS);
  const signal = stop === undefined ? late : AbortSignal.any([late, stop]);
  try {
    const response = await fetch(base_url, { signal, redirect: "manual" });
    await response.body?.cancel();
  } catch (fault) {
    stop?.throwIfAborted();
    const { cause, name } = fault as Error & { cause?: { code?: string } };
    const reason = name === "TimeoutError" ? `no response within ${WAIT_MS / 1000} s` : (cause?.code ?? "no answer");
    throw new Error(`${flag} ${base_url} is unreachable (${reason}); nothing was measured or written`);
  }
}
