// Keeps what Node makes of the sources for the next start; says what to run where this Node reads no
// TypeScript and the newer one, which `npm ci` fetches by an install script, is not there. Plain
// JavaScript, so that any Node reads it.
import module from "node:module";

if (!process.features.typescript) {
  console.error(
    `kritai: Node ${process.versions.node} cannot run this. \`npm ci\` brings a newer one, but not with --ignore-scripts: run \`npm rebuild --ignore-scripts=false node\`, or use Node 24.`,
  );
  process.exit(1);
}
module.enableCompileCache?.();
