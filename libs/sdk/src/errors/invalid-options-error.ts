import type { OptionFault } from '../options/option-fault.js';
import { PlantStoreError } from './plant-store-error.js';

/** Options of a sender are missing or wrong (`PLANT_STORE_INVALID_OPTIONS`). It lists all faults at once. */
export class InvalidOptionsError extends PlantStoreError {
  static {
    Object.defineProperty(this.prototype, 'name', { value: 'InvalidOptionsError', configurable: true });
  }

  readonly faults: readonly OptionFault[];

  constructor(faults: readonly OptionFault[]) {
    const lines = faults.map(({ option, problem }) => `\`${option}\` ${problem}`);
    super('PLANT_STORE_INVALID_OPTIONS', lines.join('\n'), { outcome: 'not-sent' });
    this.faults = Object.freeze([...faults]);
  }
}
