// Descriptions of schema fields for the OpenAPI document and the docs pages, which are built on Node. A
// Worker's bundle uses `unsaid` instead (`imports` in package.json), so the texts are not bundled.

export const said = (description: string): { description: string } => ({ description });
