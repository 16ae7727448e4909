/** `@plant-store/contract/document`: what the answers are in an OpenAPI document. */
export { jsonSchemaOf } from './answer-schema.js';
export {
  type Components,
  componentsOf,
  errorPayloadNameOf,
  payloadDescriptionOf,
  referenceTo,
  requiredFieldsOf,
} from './components.js';
