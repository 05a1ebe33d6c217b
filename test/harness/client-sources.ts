// Lets tests import the TypeScript client's sources, whose imports end in `.js` as in its built package. Set up by
// vitest.config.ts for the projects that run without Vite.
import { registerHooks } from "node:module";

registerHooks({
  resolve(specifier, context, next) {
    const isClients = /\/clients\/typescript\/src\//.test(context.parentURL ?? "");
    return next(isClients ? specifier.replace(/^(\.\/.*)\.js$/, "$1.ts") : specifier, context);
  },
});
