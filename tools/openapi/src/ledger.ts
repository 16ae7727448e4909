import type { Provenance } from '@plant-store/contract';

/** An answer in the ledger: as JSON, with who gave it. */
export interface LedgerEntry extends Provenance {
  /** What the software carries out. A schema is its JSON Schema. */
  readonly is?: unknown;
  /** An answer that the software doesn't carry out. */
  readonly inWords?: string;
  /** JSON Pointers to the facts that the answer shows in the document. */
  readonly places?: readonly string[];
}

/** The answers by question, as the application writes them beside its document. */
export type Ledger = Readonly<Record<string, LedgerEntry>>;

/** Words as they are, any other answer as JSON. */
export function wordsOf({ is, inWords }: LedgerEntry): string {
  return inWords ?? JSON.stringify(is);
}
