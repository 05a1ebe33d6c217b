// Defines what stands for `said` in a Worker's bundle: an empty function, which the bundler leaves out with
// the words that it is given.

export function said(_description: string): undefined {}
