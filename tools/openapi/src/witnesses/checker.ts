import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Schema, SchemaStore } from './json-schema.js';
import type { Patterns } from './patterns.js';
import { isTimeOut } from './time-limit.js';

/** Says with ajv whether values are valid. Each schema is compiled once. */
export class Checker {
  readonly #ajv: Ajv2020;
  readonly #compiled = new Map<Schema, ValidateFunction | undefined>();
  #added = 0;

  constructor(
    readonly store: SchemaStore,
    patterns: Patterns,
  ) {
    this.#ajv = new Ajv2020({
      strict: false,
      meta: false,
      validateSchema: false,
      validateFormats: false,
      addUsedSchema: false,
      ownProperties: true,
      logger: false,
      code: { regExp: patterns.compile },
    });
  }

  /** Undefined if that can't be found out: the schema isn't valid, or is too large. */
  isValid(schema: Schema, value: unknown): boolean | undefined {
    const errors = this.check(schema, value);
    return errors && errors.length === 0;
  }

  /** What is wrong with a value. Undefined if that can't be found out. */
  check(schema: Schema, value: unknown): readonly ErrorObject[] | undefined {
    try {
      const validate = this.#validatorOf(schema);
      if (validate === undefined) return undefined;
      return validate(value) ? [] : (validate.errors ?? []);
    } catch (error) {
      if (isTimeOut(error)) throw error;
      return undefined;
    }
  }

  #validatorOf(schema: Schema): ValidateFunction | undefined {
    if (!this.#compiled.has(schema)) this.#compiled.set(schema, this.#compile(schema));
    return this.#compiled.get(schema);
  }

  #compile(schema: Schema): ValidateFunction | undefined {
    const definitions = [...this.store.definitions].slice(this.#added);
    this.#added = this.store.definitions.size;
    for (const [key, definition] of definitions) this.#ajv.addSchema(definition, key);
    try {
      return this.#ajv.compile(schema as object);
    } catch (error) {
      if (isTimeOut(error)) throw error;
      return undefined;
    }
  }
}
