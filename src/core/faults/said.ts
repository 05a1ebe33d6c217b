// Defines what a schema's field says of itself to people. The OpenAPI document and the pages are made of it
// on Node; a Worker's bundle has `unsaid` in its place (`imports` in package.json), by which the words are
// not in it.

export const said = (description: string): { description: string } => ({ description });
