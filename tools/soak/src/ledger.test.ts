import type { Fate } from './content.js';
import type { StoredDelivery } from './inbox.js';
import { Ledger, type Sending, Totals } from './ledger.js';

/** A ledger in which a delivery was acknowledged and handled, as the inbox should have it. */
function given(fate: Fate = 'handle'): { ledger: Ledger; sending: Sending; stored: StoredDelivery } {
  const ledger = new Ledger(new Totals());
  const sending = ledger.begin(fate, 100);
  ledger.sent(sending);
  const stored = { id: 1, state: 'handled', error: null, content: Buffer.from(sending.content) };
  return { ledger, sending, stored };
}

const always = (): boolean => true;
const never = (): boolean => false;

/** Acknowledges the delivery and lets the first process handle it. */
function handle({ ledger, sending }: ReturnType<typeof given>): void {
  ledger.responded(sending, 204);
  ledger.handled(sending.sequence, 0, never);
}

test('nothing is wrong with a delivery that was acknowledged, is stored and was handled', () => {
  const all = given();
  handle(all);

  expect(all.ledger.compare([all.stored], true)).toEqual([]);
  expect(all.ledger.totals).toMatchObject({
    acknowledged: 1,
    unknown: 0,
    lost: 0,
    handled: 1,
    handledAgain: 0,
  });
});

test('an acknowledged delivery that is not stored is lost', () => {
  const { ledger, sending } = given();
  ledger.responded(sending, 204);

  expect(ledger.compare([], false)).toEqual(['delivery 1 was acknowledged and is lost']);
  expect(ledger.totals.lost).toBe(1);
});

test('a delivery whose outcome is unknown may be stored or not', () => {
  const { ledger, stored } = given();

  expect(ledger.compare([], false)).toEqual([]);
  expect(ledger.compare([{ ...stored, state: 'waiting' }], false)).toEqual([]);
  expect(ledger.totals).toMatchObject({ acknowledged: 0, unknown: 1, lost: 0 });
});

describe('is reported:', () => {
  test('one wrong byte', () => {
    const all = given();
    handle(all);
    all.stored.content[50]! ^= 1;

    expect(all.ledger.compare([all.stored], true)).toEqual([
      'delivery 1 (id 1) is stored with other bytes than were sent',
    ]);
    expect(all.ledger.totals).toMatchObject({ changed: 1, lost: 0 });
  });

  test('a delivery that nobody sent', () => {
    const { ledger, stored } = given();
    const foreign = [Buffer.from('not ours'), Buffer.from('2 handle\n')];

    expect(
      ledger.compare(
        foreign.map((content) => ({ ...stored, content })),
        false,
      ),
    ).toEqual([
      'delivery ? (id 1) is stored and was never sent',
      'delivery 2 (id 1) is stored and was never sent',
    ]);
    expect(ledger.totals.unexpected).toBe(2);
  });

  test('a delivery that was refused', () => {
    const { ledger, sending, stored } = given();
    ledger.responded(sending, 503);

    expect(ledger.compare([{ ...stored, state: 'waiting' }], false)).toEqual([
      'delivery 1 (id 1) is stored though it was refused',
    ]);
    expect(ledger.totals.refused).toEqual(new Map([[503, 1]]));
  });

  test('a delivery that was never sent whole', () => {
    const ledger = new Ledger(new Totals());
    const { content } = ledger.begin('handle', 100);

    expect(ledger.compare([{ id: 1, state: 'waiting', error: null, content }], false)).toEqual([
      'delivery 1 (id 1) is stored though it was never sent whole',
    ]);
  });

  test('a delivery that is stored twice', () => {
    const all = given();
    handle(all);

    expect(all.ledger.compare([all.stored, { ...all.stored, id: 2 }], true)).toEqual([
      'delivery 1 (id 2) is stored twice',
    ]);
  });

  test('a delivery that was never handled', () => {
    const { ledger, sending, stored } = given();
    ledger.responded(sending, 204);

    expect(ledger.compare([{ ...stored, state: 'waiting' }], true)).toEqual([
      'delivery 1 (id 1) waits, though the handler had the time',
    ]);
    expect(ledger.compare([stored], true)).toEqual(['delivery 1 (id 1) is marked as handled and was not']);
  });

  test('a delivery that was handled again although nothing had crashed', () => {
    const all = given();
    handle(all);
    all.ledger.handled(1, 1, never);

    expect(all.ledger.compare([all.stored], true)).toEqual([
      'delivery 1 was handled again although nothing had crashed',
    ]);
  });

  test('a delivery that was handled and is not stored', () => {
    const { ledger } = given();
    ledger.handled(1, 0, never);

    expect(ledger.compare([], false)).toEqual(["delivery 1 was handled and isn't stored"]);
  });

  test('a parked delivery whose handler succeeds', () => {
    const { ledger, sending, stored } = given('wait');
    ledger.responded(sending, 204);

    expect(ledger.compare([{ ...stored, state: 'parked', error: 'Error: arbitrary' }], true)).toEqual([
      'delivery 1 (id 1) is parked though its handler succeeds: Error: arbitrary',
    ]);
  });
});

test('after a crash a delivery may be handled again, and that is counted', () => {
  const all = given();
  handle(all);
  all.ledger.handled(1, 1, always);

  expect(all.ledger.compare([all.stored], true)).toEqual([]);
  expect(all.ledger.totals).toMatchObject({ handled: 1, handledAgain: 1 });
});

test('a poison delivery may be parked, and so may one that was cut off each time', () => {
  const poison = given('fail');
  poison.ledger.responded(poison.sending, 204);
  const cutOff = given('wait');
  cutOff.ledger.responded(cutOff.sending, 204);

  expect(
    poison.ledger.compare([{ ...poison.stored, state: 'parked', error: 'Error: arbitrary' }], true),
  ).toEqual([]);
  const error = 'Error: the process ended during the attempt';
  expect(cutOff.ledger.compare([{ ...cutOff.stored, state: 'parked', error }], true)).toEqual([]);
});
