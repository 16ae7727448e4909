import type { ContentMethod, JsonSchema } from '@plant-store/contract';

/** Content by media type. */
export type ContentParts = Readonly<
  Record<string, { readonly schema?: JsonSchema; readonly example?: unknown }>
>;

/** Responses by status. */
export type ResponseParts = Readonly<
  Record<string, { readonly description?: string; readonly content?: ContentParts }>
>;

/** What the answers state about the operation. What is open is missing. */
export interface OperationParts {
  /** While it is missing, the document has no operation. */
  readonly method?: ContentMethod;
  /** The schema of each header parameter by name. All of them are required. */
  readonly headers?: Readonly<Record<string, JsonSchema>>;
  readonly requestBody?: {
    readonly description?: string;
    readonly content: ContentParts;
    readonly required?: true;
  };
  readonly responses?: ResponseParts;
}

/** What the answers show in the document. What is open is missing. */
export interface DocumentParts extends OperationParts {
  /** Variables of the server, by name. */
  readonly serverVariables?: Readonly<Record<string, { readonly default: string }>>;
  /** Fields of the security scheme beside those of §5. */
  readonly securityScheme?: { readonly bearerFormat: string };
  /** `components.schemas`, by name. */
  readonly schemas?: Readonly<Record<string, JsonSchema>>;
}
