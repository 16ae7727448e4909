import { type Answers, type OpenQuestion, plainAnswers } from '@plant-store/contract';
import { describeAnswer } from './describe-answer.js';
import { type Block, type Fact, type Section, type Text, textOf } from './page.js';

/** What the questions of each section of the specification are about, in reading order. */
const TOPICS = [
  { id: 'open-notification', title: 'The notification', sections: ['§2', '§4', '§6'] },
  { id: 'open-authentication', title: 'Tokens and transport', sections: ['§5'] },
  { id: 'open-failures', title: 'Failures and limits', sections: ['§7', '§8'] },
  { id: 'open-store', title: 'The store and its versions', sections: ['§1', '§3', '§9'] },
];

/** The questions that are open with what the software does meanwhile, and those that are answered with the answer. */
export class Questions {
  readonly #questions: readonly OpenQuestion[];
  readonly #answers: Readonly<Record<string, unknown>>;

  constructor(questions: readonly OpenQuestion[], answers: Answers) {
    this.#questions = questions;
    this.#answers = plainAnswers(answers);
  }

  get open(): readonly OpenQuestion[] {
    return this.#questions.filter((question) => !this.#isAnswered(question));
  }

  get answered(): readonly OpenQuestion[] {
    return this.#questions.filter((question) => this.#isAnswered(question));
  }

  /** What to say where the document is silent: that it is open, if somebody asks for it. */
  silence(id: string): Text {
    const question = this.#questions.find((entry) => entry.id === id);
    if (question === undefined) return ['not stated'];
    const state = this.#isAnswered(question) ? 'answered' : 'open';
    return [{ to: question.id, text: `${state}: ${question.title}` }];
  }

  sections(): Section[] {
    const answered = this.answered.map((question) => this.#describe(question));
    const open = this.#byTopic(this.open);
    return [
      ...(answered.length === 0
        ? []
        : [
            section(
              'answered',
              'What has been answered',
              [
                paragraph(
                  'The specification does not fix these; an answer does, in the words or values below.',
                ),
              ],
              answered,
            ),
          ]),
      ...(open.length === 0
        ? []
        : [
            section(
              'open',
              'What is open',
              [
                paragraph(
                  'The specification does not fix these, and nobody has answered them. Meanwhile the software does what is said here, and promises none of it.',
                ),
              ],
              open,
            ),
          ]),
    ];
  }

  #byTopic(questions: readonly OpenQuestion[]): Section[] {
    const known = TOPICS.flatMap(({ sections }) => sections);
    const rest = questions.filter((question) => !known.includes(question.section));
    const topics = TOPICS.map(({ id, title, sections }) =>
      section(
        id,
        title,
        [],
        questions.filter((entry) => sections.includes(entry.section)).map((entry) => this.#describe(entry)),
      ),
    );
    const others = section(
      'open-other',
      'Everything else',
      [],
      rest.map((entry) => this.#describe(entry)),
    );
    return [...topics, others].filter(({ sections }) => sections.length > 0);
  }

  #describe(question: OpenQuestion): Section {
    const isAnswered = this.#isAnswered(question);
    const found = question.foundBy === 'us' ? 'found by us' : 'not shown in the specification';
    const blocks: Block[] = [
      { kind: 'paragraph', text: textOf(question.question) },
      ...(isAnswered
        ? describeAnswer(question, this.#answers[question.id])
        : [{ kind: 'facts', facts: meanwhile(question) } as const]),
      { kind: 'paragraph', text: [{ code: question.id }, ` · ${question.section}, ${found}`] },
    ];
    return { ...section(question.id, question.title, blocks, []), state: isAnswered ? 'answered' : 'open' };
  }

  #isAnswered({ id }: OpenQuestion): boolean {
    return Object.hasOwn(this.#answers, id) && this.#answers[id] !== undefined;
  }
}

function meanwhile({ whileOpen, answer }: OpenQuestion): Fact[] {
  const lines = [
    ['Receiver', whileOpen.receiver],
    ['Sender', whileOpen.sender],
    ['Document', whileOpen.document],
    ['An answer would be', answer],
  ] as const;
  return lines.flatMap(([name, text]) => (text === undefined ? [] : [{ name, value: textOf(text) }]));
}

function section(id: string, title: string, blocks: readonly Block[], sections: readonly Section[]): Section {
  return { id, title, blocks, sections };
}

function paragraph(words: string): Block {
  return { kind: 'paragraph', text: textOf(words) };
}
