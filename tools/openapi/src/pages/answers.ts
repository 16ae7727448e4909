import { type Consequences, isExecutable, type OpenQuestion, openQuestions } from '@plant-store/contract';
import { code, marked, table } from '../markdown.js';

const HEAD = `# What an answer changes

What the first answer to each question changes for receivers, senders and the document. To answer a question: [Answer a question](../how-to/answer-a-question.md).

- Rollout: whether to deploy the answer to receivers or to senders first ([how](../how-to/answer-a-question.md#deploy-an-answer)). Version step: that of the SDK and of the contract. Both are the worst that an answer may ask for. A test runs old and new senders against old and new receivers, and compiles old code with new types.
- **A change of an answer, or its removal, is a transition, and major.**
- An answer in words shows in the pages alone. It may be deployed in any order, and is a patch.`;

/** docs/reference/answers.md: what the register says of each answer that is carried out, and the other questions. */
export function renderAnswers(): string {
  const carried: readonly OpenQuestion[] = openQuestions.filter(({ id }) => isExecutable(id));
  const inWords = openQuestions.filter(({ id }) => !isExecutable(id));
  const rows = carried.map(({ id, answered }) => [
    `[${code(id)}](#${id})`,
    answered!.rollout,
    `${answered!.step}${answered!.but === undefined ? '' : ' \\*'}`,
  ]);
  return [
    HEAD,
    table(['Question', 'Rollout', 'Version step'], rows),
    '\\* It depends on the answer, as below.',
    `These can only be answered in words: ${inWords.map(({ id }) => code(id)).join(', ')}.`,
    ...carried.flatMap(({ id, answered, beside = [] }) => [
      `## ${id}`,
      [
        ...consequencesOf(answered!),
        ...(beside.length === 0
          ? []
          : [`Shows only beside an answer to ${beside.map((other) => `\`${other}\``).join(' and ')}.`]),
      ]
        .map((line) => `- ${marked(line)}`)
        .join('\n'),
    ]),
  ].join('\n\n');
}

/** What an answer does, in sentences whose text between back quotes is code. */
export function consequencesOf({ receiver, sender, document, but }: Consequences): string[] {
  return [
    ...(receiver === undefined ? [] : [`Receiver: ${receiver}`]),
    ...(sender === undefined ? [] : [`Sender: ${sender}`]),
    ...(document === undefined ? [] : [`Document: ${document}`]),
    ...(but === undefined ? [] : [`Rollout and version step: ${but}`]),
  ];
}
