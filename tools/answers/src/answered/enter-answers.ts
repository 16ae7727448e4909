import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A set of answers, as somebody enters it by hand. */
export interface AnswerSet {
  readonly name: string;
  /** libs/contract/src/answers.ts */
  readonly code: string;
  /** libs/contract/spec/answers.overlay.yaml */
  readonly overlay: string;
}

/** Enters answers into a clone, on both sides. Returns the files that it wrote. */
export function enterAnswers(clone: string, { code, overlay }: AnswerSet): string[] {
  const files = {
    'libs/contract/src/answers.ts': code,
    'libs/contract/spec/answers.overlay.yaml': overlay,
    ...(/ from 'zod'/.test(code) ? withZod(clone) : {}),
  };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(clone, file), text);
  return Object.keys(files);
}

/** The files that make Zod a dependency of the contract, as docs/answering.md says. */
function withZod(clone: string): Record<string, string> {
  const read = (file: string): string => readFileSync(join(clone, file), 'utf8');
  const manifestOf = (file: string): Manifest => JSON.parse(read(file)) as Manifest;
  const manifest = 'libs/contract/package.json';
  const page = 'docs/dependencies.md';
  const { zod } = manifestOf('libs/example-answers/package.json').dependencies!;
  const { dependencies, ...rest } = manifestOf(manifest);
  return {
    [manifest]: JSON.stringify({ ...rest, dependencies: { ...dependencies, zod } }),
    [page]: read(page).replace(
      /^(\| `zod` +\|)(?!.*libs\/contract)(.*libs\/example-answers)/m,
      '$1 libs/contract,$2',
    ),
  };
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
}
