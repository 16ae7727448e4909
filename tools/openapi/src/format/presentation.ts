import type { GateReport } from '../gate/gate.js';
import type { ProducerOf } from '../sources/producers.js';

/** A report, and what its reader needs to act on it. */
export interface Presentation {
  readonly report: GateReport;
  /** The file that answers go to. */
  readonly overlay: string | undefined;
  readonly hasOverlay: boolean;
  readonly producerOf: ProducerOf;
  /** The command that generates the document. */
  readonly mend: string | undefined;
}
