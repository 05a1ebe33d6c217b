// The list of all files of `public/`, with their texts.
import { publicFiles } from "../openapi/document.ts";
import { pageFiles } from "../pages/files.ts";

/** Every file of `public/` by its path there, as the sources are now. */
export async function assetFiles(): Promise<Record<string, string>> {
  return { ...publicFiles(), ...(await pageFiles()) };
}
