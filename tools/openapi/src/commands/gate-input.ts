import { existsSync } from 'node:fs';
import { gate, type GateReport } from '../gate/gate.js';
import { readTextFile } from '../read/read-text-file.js';
import { optional, required, type Values } from './command.js';

/** Options of a command that runs the gate. */
export const GATE_OPTIONS = {
  baseline: { type: 'string' },
  document: { type: 'string' },
  overlay: { type: 'string' },
  answers: { type: 'string' },
} as const;

/** What `--help` says about them. */
export const GATE_HELP = `  --baseline FILE   what the specification states; a comment at a value names the section that states it
  --document FILE   the published document
  --overlay FILE    the answers as an OpenAPI Overlay 1.0.0; a file that doesn't exist has no answers
  --answers FILE    the answers of the code, as \`openapi answers\` writes them`;

/** The files that a command was given, and what the gate reports about them. */
export interface GateRun {
  readonly report: GateReport;
  readonly baseline: string;
  readonly document: string;
  readonly overlay: string | undefined;
  readonly hasOverlay: boolean;
}

/** Runs the gate. @throws ToolError if an option is missing, or a file cannot be read or understood */
export function runGate(values: Values): GateRun {
  const baseline = required(values, 'baseline');
  const document = required(values, 'document');
  const overlay = optional(values, 'overlay');
  const answers = optional(values, 'answers');
  const hasOverlay = overlay !== undefined && existsSync(overlay);
  const given = hasOverlay ? overlay : undefined;
  const report = gate({ readText: readTextFile, baseline, document, overlay: given, answers });
  return { report, baseline, document, overlay, hasOverlay };
}
