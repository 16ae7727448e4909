import { facts } from '@plant-store/contract';
import { readOpenapi, type ReadText, SourceFiles } from '../read/source-files.js';
import { toPlain } from '../read/source-node.js';
import { ToolError } from '../read/tool-error.js';
import type { Schema } from './schema.js';

/** A map of JSON. */
export type ByName<Value> = Readonly<Record<string, Value>>;

/** The document of this interface, as far as the page knows its parts. */
export interface InterfaceDocument {
  readonly openapi: string;
  readonly info: {
    readonly title: string;
    readonly version?: string;
    readonly license?: { readonly name?: string };
  };
  readonly servers?: readonly Server[];
  /** One. */
  readonly webhooks: ByName<PathItem>;
  readonly paths?: ByName<never>;
  readonly components?: {
    readonly schemas?: ByName<Schema>;
    readonly securitySchemes?: ByName<ByName<unknown>>;
  };
  readonly security?: Requirements;
}

/** A URL, and the variables in it. */
export interface Server {
  readonly url: string;
  readonly variables?: ByName<{ readonly default?: string }>;
}

/** The webhook: its operation is under the name of the method. */
export interface PathItem extends ByName<unknown> {
  readonly summary?: string;
  readonly description?: string;
}

/** The request of the webhook, and its responses. */
export interface Operation extends ByName<unknown> {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: {
    readonly description?: string;
    readonly required?: boolean;
    readonly content?: Content;
  };
  readonly responses?: ByName<{ readonly description?: string; readonly content?: Content }>;
  readonly security?: Requirements;
}

/** By media type. */
export type Content = ByName<{ readonly schema?: Schema; readonly example?: unknown }>;

/** Alternatives; each names the security schemes that a request has to satisfy. */
export type Requirements = readonly ByName<readonly string[]>[];

/**
 * Reads the OpenAPI document of this interface.
 *
 * @throws ToolError `not-this-interface` if it is another document
 */
export function readInterface(readText: ReadText, path: string): InterfaceDocument {
  const document = toPlain(readOpenapi(new SourceFiles(readText), path)) as Partial<InterfaceDocument>;
  const { info, webhooks = {}, paths = {} } = document;
  const isOurs =
    info?.title === facts.TITLE && Object.keys(webhooks).length === 1 && Object.keys(paths).length === 0;
  if (isOurs) return document as InterfaceDocument;
  throw new ToolError(
    'not-this-interface',
    `${path}: not the document of this interface, which has the title "${facts.TITLE}", one webhook and no paths`,
  );
}
