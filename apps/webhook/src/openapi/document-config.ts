import type { OpenAPIObject } from '@nestjs/swagger';
import { facts } from '@plant-store/contract';

import type { DocumentParts } from './document-parts.js';

/**
 * What the document says beside the webhook. A plain object, since Nest's builder would assert an empty
 * description, an empty contact and a token format.
 */
export function documentConfig({
  serverVariables,
  securityScheme,
}: DocumentParts): Omit<OpenAPIObject, 'paths'> {
  return {
    openapi: facts.OPENAPI_VERSION,
    info: { title: facts.TITLE, license: { name: facts.LICENSE_NAME }, version: facts.VERSION },
    servers: [{ url: facts.BASE_ADDRESS, ...(serverVariables && { variables: { ...serverVariables } }) }],
    components: {
      securitySchemes: {
        [facts.SECURITY_SCHEME_NAME]: {
          type: facts.SECURITY_SCHEME_TYPE,
          scheme: facts.AUTHENTICATION_SCHEME,
          ...securityScheme,
        },
      },
    },
    security: [{ [facts.SECURITY_SCHEME_NAME]: [] }],
  };
}
