import type { ContentMethod } from '@plant-store/contract';

/** A JSON Schema, as OpenAPI 3.1 has it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What answers show in the document. What none of them shows is not there. */
export interface DocumentParts {
  /** The method of the operation. While it is open there is no operation. */
  readonly method?: ContentMethod;
  /** Variables of the server, by name. */
  readonly serverVariables?: Readonly<Record<string, { readonly default: string }>>;
  /** Fields of the security scheme beside those of §5. */
  readonly securityScheme?: { readonly bearerFormat: string };
  /** `components.schemas`, by name. */
  readonly schemas?: Readonly<Record<string, JsonSchema>>;
  /** Of the operation: the schemas of header parameters, each of which is required, by name. */
  readonly headers?: Readonly<Record<string, JsonSchema>>;
  /** Of the operation. */
  readonly requestBody?: { readonly content: ContentParts; readonly required?: true };
  /** Of the operation. */
  readonly responses?: ResponseParts;
}

/** By status. */
export type ResponseParts = Readonly<
  Record<string, { readonly description?: string; readonly content?: ContentParts }>
>;

/** By media type. */
export type ContentParts = Readonly<
  Record<string, { readonly schema?: JsonSchema; readonly example?: unknown }>
>;
