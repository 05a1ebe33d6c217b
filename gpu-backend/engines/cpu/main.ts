// Entry point of the embedded verifier as a standalone program: variables, the ready line, and a clean
// shutdown.
import { startCpuVerifier } from "./server.ts";

const { HOST = "127.0.0.1", PORT = "8790", WORKERS } = process.env;

const verifier = await startCpuVerifier({
  host: HOST,
  port: Number(PORT),
  ...(WORKERS === undefined ? {} : { workers: Number(WORKERS) }),
});
console.log(`ready ${verifier.url}`);

for (const name of ["SIGTERM", "SIGINT"] as const) {
  process.once(name, () => {
    verifier.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  });
}
