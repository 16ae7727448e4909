/** Whether a number counts something. */
export const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
