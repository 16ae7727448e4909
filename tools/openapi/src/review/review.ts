// Placeholder for the merge.
export const review = async (_: unknown): Promise<string> => '';
