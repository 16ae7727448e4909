import { readNumber } from './source-node.js';

describe('readNumber', () => {
  it.each([
    { given: '1', want: { value: 1 } },
    { given: '1.0', want: { value: 1 } },
    { given: '10e-1', want: { value: 1 } },
    { given: '-0', want: { value: 0 } },
    { given: '0.1', want: { value: 0.1 } },
    { given: '1e21', want: { value: 1e21 } },
    { given: '.5', want: { value: 0.5 } },
    { given: '9007199254740993', want: { value: 9007199254740992, exact: '9007199254740993e0' } },
    { given: '-0.10000000000000000001', want: { value: -0.1, exact: '-10000000000000000001e-20' } },
  ])('reads $given', ({ given, want }) => {
    expect(readNumber(given)).toEqual(want);
  });
});
