// Placeholder for the merge.
export const answerInWords = (_question: string, answer: unknown): string =>
  typeof answer === 'string' ? answer : JSON.stringify(answer);
export const effectOf = (..._: unknown[]) => ({
  receiver: undefined as string | undefined,
  sender: undefined as string | undefined,
  rollout: { order: 'any order', reason: '' },
  step: 'patch',
});
