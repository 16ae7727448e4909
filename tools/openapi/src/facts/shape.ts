/** What stands at a place of an OpenAPI document, as far as it matters for telling facts apart. */
export type Shape =
  /** Compared as it is written: examples, defaults, enums, extensions. */
  | { readonly is: 'data' }
  /** An object that OpenAPI defines. */
  | { readonly is: 'object'; readonly name: ObjectName }
  /** A map whose keys the author chose. */
  | { readonly is: 'map'; readonly of: Shape }
  /** A list whose order is kept. */
  | { readonly is: 'list'; readonly of: Shape }
  /** A list of strings whose order says nothing. */
  | { readonly is: 'set' }
  /** One string, or a set of them. */
  | { readonly is: 'string-or-set' };

/** The objects of OpenAPI 3.1.0 §4.8. */
export type ObjectName =
  | 'openapi'
  | 'info'
  | 'server'
  | 'components'
  | 'paths'
  | 'path-item'
  | 'operation'
  | 'parameter'
  | 'request-body'
  | 'media-type'
  | 'encoding'
  | 'responses'
  | 'response'
  | 'callback'
  | 'example'
  | 'link'
  | 'header'
  | 'schema'
  | 'discriminator'
  | 'xml'
  | 'security-scheme';

export const data: Shape = { is: 'data' };
export const set: Shape = { is: 'set' };
export const stringOrSet: Shape = { is: 'string-or-set' };

const objects = new Map<ObjectName, Shape>();

/** The shape of an OpenAPI object: always the same one for the same name. */
export function object(name: ObjectName): Shape {
  const shape = objects.get(name) ?? { is: 'object', name };
  objects.set(name, shape);
  return shape;
}

const maps = new Map<Shape, Shape>();

/** The shape of a map: always the same one for the same values. */
export function map(of: Shape): Shape {
  const shape = maps.get(of) ?? { is: 'map', of };
  maps.set(of, shape);
  return shape;
}

const lists = new Map<Shape, Shape>();

/** The shape of a list: always the same one for the same items. */
export function list(of: Shape): Shape {
  const shape = lists.get(of) ?? { is: 'list', of };
  lists.set(of, shape);
  return shape;
}
