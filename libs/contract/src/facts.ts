/**
 * The facts that the interface specification states. Each constant cites its section. Nothing here is inferred, and
 * nothing else is fixed.
 */

/** Title of the interface description (§1). */
export const TITLE = 'OpenAPI Plant Store';

/** Version of the interface description (§1, §9). */
export const VERSION = '1.0.0';

/** Name of the licence of the interface description (§1). */
export const LICENSE_NAME = 'MIT';

/** Version of OpenAPI in which the interface is described (§9). */
export const OPENAPI_VERSION = '3.1.0';

/** The base address of the service, as the specification writes it: a variable without a value (§1). */
export const BASE_ADDRESS = '{base_url}';

/** Name of the only webhook (§1, §4). */
export const WEBHOOK_NAME = 'New Plant';

/** Description of the event (§6). */
export const WEBHOOK_DESCRIPTION = 'Information about a new plant added to the store';

/** Path to which the webhook is delivered (§4, §6). */
export const DELIVERY_PATH = '/plant/webhook';

/** Name of the security scheme (§5). */
export const SECURITY_SCHEME_NAME = 'bearerAuth';

/** Type of the security scheme: HTTP authentication, as OpenAPI names it (§5). */
export const SECURITY_SCHEME_TYPE = 'http';

/** HTTP authentication scheme of the security scheme (§5; RFC 9110 §11.1: the name is case-insensitive). */
export const AUTHENTICATION_SCHEME = 'bearer';
