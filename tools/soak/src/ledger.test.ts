import { type Fate, Ledger, type Sending, type StoredDelivery, Totals } from './ledger.js';

/** A ledger with one delivery that was sent, as the inbox should have it in the end. */
function given(fate: Fate = 'handle'): { ledger: Ledger; sending: Sending; stored: StoredDelivery } {
  const ledger = new Ledger(new Totals());
  const sending = ledger.begin(fate, 100);
  const stored = { id: 1, state: 'handled', error: null, content: Buffer.from(sending.content) } as const;
  return { ledger, sending, stored };
}

/** The same, acknowledged and handled by the first process. */
function handled(fate?: Fate): ReturnType<typeof given> {
  const all = given(fate);
  all.ledger.responded(all.sending, 204);
  all.ledger.handled(all.sending.sequence);
  return all;
}

test('nothing is wrong with a delivery that was acknowledged, is stored and was handled', () => {
  const { ledger, stored } = handled();

  expect(ledger.compare([stored])).toEqual([]);
  expect(ledger.totals).toMatchObject({
    acknowledged: 1,
    unknown: 0,
    lost: 0,
    invented: 0,
    handled: 1,
    handledAgain: 0,
  });
});

test('an acknowledged delivery that is neither stored nor was handled is lost', () => {
  const { ledger, sending } = given();
  ledger.responded(sending, 204);

  expect(ledger.compare([])).toEqual(['delivery 1 was acknowledged and is lost']);
  expect(ledger.totals.lost).toBe(1);
});

test('a delivery that was handled may have been deleted', () => {
  expect(handled().ledger.compare([])).toEqual([]);
});

test.each([undefined, 503])(
  'a delivery without a response, or with 503, may be stored or not: %s',
  (status) => {
    const { ledger, sending, stored } = given('fail');
    ledger.responded(sending, status);

    expect(ledger.compare([])).toEqual([]);
    expect(ledger.compare([{ ...stored, state: 'parked' }])).toEqual([]);
    const counted = status === undefined ? { unknown: 1, refused: 0 } : { unknown: 0, refused: 1 };
    expect(ledger.totals).toMatchObject({ acknowledged: 0, lost: 0, ...counted });
  },
);

test('a delivery that an operator discarded may be gone', () => {
  const { ledger, sending, stored } = given('fail');
  ledger.responded(sending, 204);
  ledger.discarding(sending.content);

  expect(ledger.compare([{ ...stored, state: 'discarded', content: Buffer.alloc(0) }])).toEqual([]);
});

describe('is reported:', () => {
  test('one wrong byte', () => {
    const { ledger, stored } = handled();
    stored.content[50]! ^= 1;

    expect(ledger.compare([stored])).toEqual(['delivery 1 (id 1) is stored with other bytes than were sent']);
    expect(ledger.totals).toMatchObject({ invented: 1, lost: 0 });
  });

  test('a delivery that nobody sent', () => {
    const { ledger, stored } = given();
    const foreign = [Buffer.from('not ours'), Buffer.from('2 handle\n')];

    expect(ledger.compare(foreign.map((content) => ({ ...stored, content })))).toEqual([
      'delivery NaN (id 1) is stored and was never sent',
      'delivery 2 (id 1) is stored and was never sent',
    ]);
    expect(ledger.totals.invented).toBe(2);
  });

  test('a delivery that was refused with another status than 503', () => {
    const { ledger, sending } = given();
    ledger.responded(sending, 401);

    expect(ledger.compare([])).toEqual(['delivery 1 was refused with 401']);
  });

  test('a delivery that is stored twice', () => {
    const { ledger, stored } = handled();

    expect(ledger.compare([stored, { ...stored, id: 2 }])).toEqual(['delivery 1 (id 2) is stored twice']);
  });

  test('a delivery that was never handled', () => {
    const { ledger, sending, stored } = given();
    ledger.responded(sending, 204);

    expect(ledger.compare([{ ...stored, state: 'waiting' }])).toEqual([
      'delivery 1 (id 1) is waiting, though the handler had the time',
    ]);
    expect(ledger.compare([stored])).toEqual(['delivery 1 (id 1) is marked as handled and was not']);
  });

  test('a delivery that was handled again although nothing had failed', () => {
    const { ledger, stored } = handled();
    ledger.handled(1);

    expect(ledger.compare([stored])).toEqual(['delivery 1 was handled again although nothing had failed']);
  });

  test('a parked delivery whose handler succeeds', () => {
    const { ledger, sending, stored } = given('wait');
    ledger.responded(sending, 204);

    expect(ledger.compare([{ ...stored, state: 'parked', error: 'Error: arbitrary' }])).toEqual([
      'delivery 1 (id 1) is parked though its handler succeeds: Error: arbitrary',
    ]);
  });
});

test('after a fault a delivery may be handled again, and that is counted', () => {
  const { ledger, stored } = handled();
  ledger.mayRepeat = true;
  ledger.handled(1);

  expect(ledger.compare([stored])).toEqual([]);
  expect(ledger.totals).toMatchObject({ handled: 1, handledAgain: 1 });
});

test.each([
  ['fail', 'Error: arbitrary'],
  ['wait', 'Error: the process ended during the attempt'],
] as const)('may be parked: a delivery whose handler is to %s, with %s', (fate, error) => {
  const { ledger, sending, stored } = given(fate);
  ledger.responded(sending, 204);

  expect(ledger.compare([{ ...stored, state: 'parked', error }])).toEqual([]);
});
