// `npm start`, `nx serve webhook`: compiles and runs the receiver for a developer, and again on each change.
import { develop } from './development.mjs';
import { withDotEnvFiles } from './environment.mjs';

await develop(withDotEnvFiles(process.env));
