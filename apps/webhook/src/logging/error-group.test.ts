import { errorGroupOf } from './error-group.js';

test.each([
  ['Error: connect ECONNREFUSED 127.0.0.1:5432', 'Error: connect ECONNREFUSED …'],
  ['no plant 0b8f7a0e-1f3c-4c62-9a5e-7d1c4a1b2c3d in the store', 'no plant … in the store'],
  [
    "TypeError: Cannot read properties of undefined (reading 'species')",
    'TypeError: Cannot read properties of undefined (reading …)',
  ],
  ['duplicate key "plant_7" of `plants`', 'duplicate key … of …'],
  ['commit 9fceb02d0ae598e95dc970b74767f19372d61af8 and 0xDEAD', 'commit … and …'],
  ['no plant 01ARZ3NDEKTSV4RRFFQ69G5FAV or evt_1NG8Du2eZvKYlo2CUI79vXWy', 'no plant … or …'],
  ['validateNewPlantV2 and sha256sum failed', 'validateNewPlantV… and sha…sum failed'],
  ['took 31 ms, 2 times', 'took … ms, … times'],
  ['no digits, and no facade of a number', 'no digits, and no facade of a number'],
  ["it isn't there", "it isn't there"],
  ['invalid plant:\r\n\tname  is missing\n', 'invalid plant: name is missing'],
  [`doesn't know {"n":7,"name":"tulip 42"}`, "doesn't know {…:…,…:…}"],
])('%s', (error, group) => {
  expect(errorGroupOf(error)).toBe(group);
});
