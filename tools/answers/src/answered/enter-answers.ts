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

/** The libraries of schemas that a set may import. */
const LIBRARIES = { ajv: / from 'ajv\//, zod: / from 'zod'/ };

/** Enters answers into a clone, on both sides. Returns the files that it wrote. */
export function enterAnswers(clone: string, { code, overlay }: AnswerSet): string[] {
  const imported = Object.entries(LIBRARIES).filter(([, from]) => from.test(code));
  const files = {
    'libs/contract/src/answers.ts': code,
    'libs/contract/spec/answers.overlay.yaml': overlay,
    ...(imported.length > 0 ? withDependencies(clone, Object.fromEntries(imported)) : {}),
  };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(clone, file), text);
  return Object.keys(files);
}

/** The files that make libraries dependencies of the contract, as docs/answering.md says. */
function withDependencies(clone: string, libraries: object): Record<string, string> {
  const read = (file: string): string => readFileSync(join(clone, file), 'utf8');
  const manifest = 'libs/contract/package.json';
  const page = 'docs/dependencies.md';
  const { dependencies: ofExamples } = JSON.parse(read('libs/example-answers/package.json')) as Manifest;
  const { dependencies, devDependencies, ...rest } = JSON.parse(read(manifest)) as Manifest;
  const versions = { ...ofExamples, ...devDependencies };
  const names = Object.keys(libraries);
  const isOther = ([name]: [string, string]): boolean => !names.includes(name);
  const others = Object.entries(devDependencies ?? {}).filter(isOther);
  const rows = names.reduce(
    (text, name) =>
      text.replace(new RegExp(`^(\\| \`${name}\` +\\|)(?!.*libs/contract)`, 'm'), '$1 libs/contract,'),
    read(page),
  );
  return {
    [manifest]: JSON.stringify({
      ...rest,
      dependencies: { ...dependencies, ...Object.fromEntries(names.map((name) => [name, versions[name]])) },
      ...(others.length > 0 && { devDependencies: Object.fromEntries(others) }),
    }),
    [page]: rows,
  };
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}
