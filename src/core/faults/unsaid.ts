// Replaces `said` in a Worker's bundle. The function is empty, so the bundler drops the calls and their
// descriptions.

export function said(_description: string): undefined {}
