/** What is wrong, unless it is right. */
export function unless(isRight: boolean, fault: string): string[] {
  return isRight ? [] : [fault];
}
