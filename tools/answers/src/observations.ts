/** What is seen of something, by the name that docs/answers.md gives it. */
export type Observations = Readonly<Record<string, string>>;
