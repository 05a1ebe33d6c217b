// A fetch for SDKs of other vendors that outlives a restart of Kritai: what clients/typescript/README.md
// gives its readers. Must not know any SDK.

/**
 * Asks again while the connection fails or breaks, for two minutes: scoring twice gives the same.
 */
export const patientFetch: typeof fetch = async (...request) => {
  const ends = Date.now() + 120_000;
  for (let pause = 500; ; pause = Math.min(8_000, 2 * pause)) {
    try {
      const reply = await fetch(...request);
      return new Response(await reply.text(), reply);
    } catch (error) {
      if (Date.now() + pause > ends) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random())));
    }
  }
};
