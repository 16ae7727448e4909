/** Preloaded: the question `http-method` has the answer that HTTP_METHOD names. */
const contract = new URL('../../../libs/contract/dist/answers.js', import.meta.url);
const { answers } = await import(contract.href);
answers['http-method'] = process.env.HTTP_METHOD;
