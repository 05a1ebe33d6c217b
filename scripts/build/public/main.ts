// Builds `public/`, the static assets: the OpenAPI document and all pages. Does nothing where they
// are what the sources give. What is installed, started, tested and deployed comes past here.
import { isBuiltFrom, PUBLIC, replaceFolder, sourcesDigest } from "./folder.ts";

const sources = sourcesDigest(PUBLIC);
if (isBuiltFrom(sources, PUBLIC)) {
  console.log("public/ is what its sources give");
} else {
  // What takes longest to load comes only once it is of use.
  const { assetFiles } = await import("./files.ts");
  const files = await assetFiles();
  replaceFolder(PUBLIC, sources, files);
  for (const [name, text] of Object.entries(files)) console.log(`public/${name}: ${text.length} bytes`);
}
