// Enables Node's compile cache, and prints what to run if this Node cannot read TypeScript and the newer one,
// which `npm ci` installs by a script, is missing. Plain JavaScript, so that any Node can read it.
import module from "node:module";

if (!process.features.typescript) {
  console.error(
    `kritai: Node ${process.versions.node} cannot run this. \`npm ci\` installs a newer one, but not with --ignore-scripts: run \`npm rebuild --ignore-scripts=false node\`, or use Node 24.`,
  );
  process.exit(1);
}
module.enableCompileCache?.();
