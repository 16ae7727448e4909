import { existsSync } from 'node:fs';
import { gate, type GateInput, type GateReport } from '../gate/gate.js';
import { readTextFile } from '../read/read-text-file.js';
import { optional, required, type Values } from './command.js';

/** Options of a command that runs the gate. */
export const GATE_OPTIONS = {
  baseline: { type: 'string' },
  document: { type: 'string' },
  overlay: { type: 'string' },
  answers: { type: 'string' },
  without: { type: 'string' },
} as const;

/** What `--help` says about them. */
export const GATE_HELP = `  --baseline FILE   what the specification states; a comment at a value names the section that states it
  --document FILE   the published document
  --overlay FILE    the answers as an OpenAPI Overlay 1.0.0; a file that doesn't exist has no answers
  --answers FILE    the answers of the code, as \`openapi answers\` writes them
  --without FOLDER  the document without one answer, as <question>.json; the report then has the complete actions`;

/** The files that a command was given, and what the gate reports about them. */
export interface GateRun {
  readonly report: GateReport;
  readonly baseline: string;
  readonly document: string;
  readonly overlay: string | undefined;
  readonly hasOverlay: boolean;
}

/** What the options of a command name. @throws ToolError if an option is missing */
export function gateInput(values: Values): GateInput {
  const overlay = optional(values, 'overlay');
  const without = optional(values, 'without');
  return {
    readText: readTextFile,
    baseline: required(values, 'baseline'),
    document: required(values, 'document'),
    overlay: overlay !== undefined && existsSync(overlay) ? overlay : undefined,
    answers: optional(values, 'answers'),
    ...(without !== undefined && {
      documentWithout: (question) => {
        const file = `${without}/${question}.json`;
        return existsSync(file) ? file : undefined;
      },
    }),
  };
}

/** Runs the gate. @throws ToolError if an option is missing, or a file cannot be read or understood */
export function runGate(values: Values): GateRun {
  const input = gateInput(values);
  const { baseline, document } = input;
  const hasOverlay = input.overlay !== undefined;
  return { report: gate(input), baseline, document, overlay: optional(values, 'overlay'), hasOverlay };
}
