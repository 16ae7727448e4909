/** A token that no other text in the tests contains. */
export const ACCESS_TOKEN = 'arbitrary-t0ken.of~the_tests+/==';
