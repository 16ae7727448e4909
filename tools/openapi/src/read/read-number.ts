const DECIMAL = /^([-+]?)(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d+))?$/;

/**
 * A decimal number without loss: `value`, and `exact` where `value` loses digits, so that
 * 9007199254740993 and 9007199254740992 stay different while 1, 1.0 and 1e0 stay equal.
 */
export function readNumber(source: string): { value: number; exact?: string } {
  const value = Number(source) || 0;
  if (String(value) === source) return { value };
  const exact = normalise(source);
  return exact === undefined || exact === normalise(String(value)) ? { value } : { value, exact };
}

/** Sign, digits without outer zeros and a power of ten; undefined if `source` is no decimal number. */
function normalise(source: string): string | undefined {
  const [matched, sign, whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(source) ?? [];
  if (matched === undefined) return undefined;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${sign === '-' ? '-' : ''}${significant}e${power}`;
}
