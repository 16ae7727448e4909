import ts from 'typescript';
import { enterInSource } from '../src/answers/answers-source.js';

const IDS = ['http-method', 'plant-fields', 'payload', 'retry', 'size-limits', 'time-outs'];

describe('answers.ts', () => {
  const sourceOf = (...lines: readonly string[]) => `import type { Answers } from './answer-types.js';

// Kept.
export const answers = {${lines.map((line) => `\n  ${line}`).join('')}
} as const satisfies Answers;
`;
  /** The compiler reads it, and no answer is in a comment. */
  const parsed = (source: string) => {
    const { diagnostics } = ts.transpileModule(source, { reportDiagnostics: true });
    expect(diagnostics).toEqual([]);
    expect(ts.transpileModule(source, { compilerOptions: { removeComments: true } }).outputText).toContain(
      'retry',
    );
    return source;
  };
  const entered = (source: string, question: string, value: unknown) =>
    parsed(enterInSource(source, question, value, IDS))
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => /^['"]?[a-z-]+['"]?: /.test(line));

  it.each([
    { name: 'the first', lines: [], want: ['"retry": 1,'] },
    { name: 'one before another', lines: ["'time-outs': 2,"], want: ['"retry": 1,', "'time-outs': 2,"] },
    {
      name: 'one after another',
      lines: ["payload: 'plant', // why"],
      want: ["payload: 'plant', // why", '"retry": 1,'],
    },
    {
      name: 'one after a line without a comma',
      lines: ["payload: 'plant'"],
      want: ["payload: 'plant',", '"retry": 1,'],
    },
    {
      name: 'one between two',
      lines: ["payload: 'plant',", "'time-outs': 2,"],
      want: ["payload: 'plant',", '"retry": 1,', "'time-outs': 2,"],
    },
    {
      name: 'one after a comment on several lines',
      lines: ["payload: 'plant', /* why,", '* at length */', "'time-outs': 2,"],
      want: ["payload: 'plant', /* why,", '"retry": 1,', "'time-outs': 2,"],
    },
    {
      name: 'one after a comment in front of the comma',
      lines: ["payload: 'plant' /* why */,"],
      want: ["payload: 'plant' /* why */,", '"retry": 1,'],
    },
    { name: 'another value', lines: ['retry: { delays: [] },'], want: ['"retry": 1,'] },
  ])('gets $name, in the order of the register', ({ lines, want }) => {
    expect(entered(sourceOf(...lines), 'retry', 1)).toEqual(want);
  });

  it('has no empty line around a new answer', () => {
    const source = sourceOf("payload: 'plant', // why", "'time-outs': 2,");
    expect(enterInSource(source, 'retry', 1, IDS)).not.toMatch(/,[^,\n]*\n\n/);
  });

  it('loses only the answer that is removed', () => {
    const source = sourceOf("payload: 'plant', // kept", '// dropped', 'retry: 1, // too', "'time-outs': 2,");
    const left = enterInSource(source, 'retry', undefined, IDS);
    expect(left).toBe(sourceOf("payload: 'plant', // kept", "'time-outs': 2,"));
    expect(enterInSource(left, 'retry', undefined, IDS)).toBe(left);
  });

  describe.each([
    ['removed', undefined],
    ['replaced', { inWords: 'Many.' }],
  ])('what only an answer used goes when it is %s', (_how, value) => {
    const withSchema = (imports: string, declarations: string) =>
      `${imports}${sourceOf("'plant-fields': plant,", 'retry: 1,').replace('\n// Kept.', `\n${declarations}// Kept.`)}`;

    it.each([
      [
        'Zod',
        "import { z } from 'zod';\n",
        'const light = z.string();\n/** A plant. */\nconst plant = z.object({ light });\n\n',
      ],
      [
        'JSON Schema',
        "import { Ajv2020 } from 'ajv/dist/2020.js';\nimport type { A, B } from './json-schema.js';\n",
        'interface Plant { a: A; b: B }\nconst plant = jsonSchema<Plant>(new Ajv2020(), {});\n\n',
      ],
      [
        'a namespace',
        "import * as v from 'valibot';\nimport toJson, { type C } from './c.js';\n",
        'type Plant = C;\nfunction make(): Plant { return toJson(v); }\nconst plant = make();\n\n',
      ],
      ['destructuring', "import { z } from 'zod';\n", 'const { a: plant } = { a: z.string() };\n\n'],
    ])('%s', (_name, imports, declarations) => {
      const left = enterInSource(withSchema(imports, declarations), 'plant-fields', value, IDS);
      expect(left).not.toMatch(/zod|ajv|json-schema|valibot|plant\b(?!-)|Plant|z\./);
      expect(left).toContain('// Kept.');
      expect(left).toContain("import type { Answers } from './answer-types.js';");
    });

    it('but nothing that another one uses', () => {
      const source = withSchema(
        "import { z } from 'zod';\n",
        'const one = z.int();\nconst plant = z.object({ one });\n\n',
      ).replace('retry: 1', 'retry: one');
      const left = enterInSource(source, 'plant-fields', value, IDS);
      expect(left).toContain("import { z } from 'zod';");
      expect(left).toContain('const one = z.int();');
      expect(left).not.toContain('const plant');
    });
  });

  it('is refused if it has no object of answers', () => {
    expect(() => enterInSource('export const answers = load();', 'retry', 1, IDS)).toThrow(
      'answers.ts has no object literal `answers`',
    );
  });
});
