/**
 * How a request says which version of the interface it follows (question `request-versioning`): with a header field
 * of a certain value, or with a prefix before the delivery path.
 */
export type VersionScheme =
  { readonly header: string; readonly value: string } | { readonly pathPrefix: `/${string}` };
