import type { Answers, ExecutableId } from '@plant-store/contract';

import type { DocumentParts } from './document-parts.js';
import { documentTable, NOT_VISIBLE } from './document-table.js';

/** Everything that answers show in the document. */
export function documentPartsOf(answers: Answers): DocumentParts {
  const ids = Object.keys(documentTable) as ExecutableId[];
  return Object.freeze(ids.map((id) => rowOf(id, answers)).reduce<DocumentParts>(merge, {}));
}

function rowOf(id: ExecutableId, answers: Answers): DocumentParts {
  const row = documentTable[id];
  const answer = answers[id];
  return answer === undefined || row === NOT_VISIBLE ? {} : row(answer as never, answers);
}

/** The members of both; where both have a member, its members in turn. */
function merge(one: object, other: object): object {
  const merged = new Map<string, unknown>(Object.entries(one));
  for (const [key, value] of Object.entries(other)) {
    const existing = merged.get(key);
    merged.set(key, hasMembers(existing) && hasMembers(value) ? merge(existing, value) : value);
  }
  return Object.fromEntries(merged);
}

function hasMembers(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
