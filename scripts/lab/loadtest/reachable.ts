// Owns finding out whether anybody answers at an address before anything is measured there.
const WAIT_MS = 10_000;

/**
 * Throws where the address gives no answer of whatever status, naming the flag and the reason.
 * @param flag that named it
 */
export async function assertAnswers(flag: string, base_url: string): Promise<void> {
  try {
    const response = await fetch(base_url, { signal: AbortSignal.timeout(WAIT_MS), redirect: "manual" });
    await response.body?.cancel();
  } catch (fault) {
    const { cause, name } = fault as Error & { cause?: { code?: string } };
    const reason = name === "TimeoutError" ? `nothing within ${WAIT_MS / 1000} s` : (cause?.code ?? "no answer");
    throw new Error(`${flag} ${base_url} does not answer (${reason}); nothing was measured or written`);
  }
}
