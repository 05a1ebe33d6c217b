// Descriptions of schema fields for the OpenAPI document and the docs pages, which are built on Node. Workers
// bundle `unsaid` instead (`imports` in package.json), so that the descriptions are not bundled.

export const said = (description: string): { description: string } => ({ description });
