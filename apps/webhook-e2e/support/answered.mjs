/**
 * Preloaded: the contract has the answers that EXAMPLES names, as JSON by question. `true` stands for the example answer,
 * and `"throws"` for an example schema that throws when it validates.
 */
const imported = (path) => import(new URL(`../../../libs/${path}`, import.meta.url).href);
const { answers } = await imported('contract/dist/answers.js');
const { exampleAnswers } = await imported('example-answers/dist/index.js');

for (const [id, value] of Object.entries(JSON.parse(process.env.EXAMPLES))) {
  const example = exampleAnswers[id];
  const is = value === true ? example : value === 'throws' ? throwing(example) : value;
  answers[id] = { is, who: 'Nobody', on: '2026-01-31', why: 'An example.' };
}

function throwing(schema) {
  const validate = () => {
    throw new Error('arbitrary');
  };
  return { '~standard': { ...schema['~standard'], validate } };
}
