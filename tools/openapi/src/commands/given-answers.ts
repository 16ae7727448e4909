import { type Answers, plainAnswers } from '@plant-store/contract';
import { existsSync } from 'node:fs';
import { readOverlay } from '../overlay/read-overlay.js';
import type { GivenAnswers } from '../pages/questions.js';
import { readTextFile } from '../read/read-text-file.js';
import { SourceFiles } from '../read/source-files.js';
import { stringAt } from '../read/source-node.js';
import { optional, type Values } from './command.js';

/** Options of a command that writes a page with the answers of the contract. */
export const ANSWER_OPTIONS = { overlay: { type: 'string' }, words: { type: 'string' } } as const;

/** What `--help` says about them. */
export const ANSWER_HELP = `  --overlay FILE    who answered, when and why; a file that doesn't exist has no answers
  --words FILE      JSON object from question to its answer in words, with its unit`;

/** Answers with what the options say about them. @throws ToolError if a file cannot be read or understood */
export function givenAnswers(answers: Answers, values: Values): GivenAnswers {
  const overlay = optional(values, 'overlay');
  const words = optional(values, 'words');
  const files = new SourceFiles(readTextFile);
  const actions = overlay !== undefined && existsSync(overlay) ? readOverlay(files, overlay) : [];
  const texts = words === undefined ? undefined : files.root(words);
  const given = Object.entries(plainAnswers(answers)).map(([question, value]) => {
    const stated = actions.find((action) => action.question === question && action.answer !== undefined);
    const inWords = texts && stringAt(texts, question);
    return [question, { value, ...(inWords !== undefined && { inWords }), ...(stated && { stated }) }];
  });
  return Object.fromEntries(given) as GivenAnswers;
}
