import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Jest's global setup: makes the folder of its report, which a fresh clone doesn't have.
 *
 * @param {{ outputFile?: string }} configuration
 */
export default async function makeReportFolder({ outputFile }) {
  if (outputFile) await mkdir(dirname(outputFile), { recursive: true });
}
