import type { OpenAPIObject } from '@nestjs/swagger';
import { facts } from '@plant-store/contract';

/**
 * What the document says beside the webhook. A plain object, since Nest's builder would assert an empty
 * description, an empty contact and a token format.
 */
export const documentConfig = {
  openapi: facts.OPENAPI_VERSION,
  info: { title: facts.TITLE, license: { name: facts.LICENSE_NAME }, version: facts.VERSION },
  servers: [{ url: facts.BASE_ADDRESS }],
  components: {
    securitySchemes: {
      [facts.SECURITY_SCHEME_NAME]: { type: facts.SECURITY_SCHEME_TYPE, scheme: facts.AUTHENTICATION_SCHEME },
    },
  },
  security: [{ [facts.SECURITY_SCHEME_NAME]: [] }],
} satisfies Omit<OpenAPIObject, 'paths'>;
