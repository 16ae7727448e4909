import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Jest's global setup: its report goes to a folder that a fresh clone doesn't have, and Jest doesn't make it.
 *
 * @param {{ outputFile?: string }} configuration
 */
export default async function makeReportFolder({ outputFile }) {
  if (outputFile) await mkdir(dirname(outputFile), { recursive: true });
}
