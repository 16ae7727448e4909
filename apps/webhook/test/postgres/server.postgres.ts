import { POSTGRES_PASSWORD } from '@plant-store/test-support/postgres';
import { startPostgres, withPostgres } from '@plant-store/test-support/postgres-tests';

withPostgres('the server of the tests', () => {
  test('keeps what was committed when it is stopped or crashes, and asks for a password', async () => {
    const server = await startPostgres();
    await server.psql('CREATE TABLE kept (a int); INSERT INTO kept VALUES (1)');
    await server.stop();
    await server.start();
    await server.psql('INSERT INTO kept VALUES (2)');
    await server.crash();
    await server.start();

    expect(await server.psql('SELECT a FROM kept ORDER BY a')).toBe('1\n2');
    expect(new URL(await server.createDatabase()).password).toBe(POSTGRES_PASSWORD);
    expect(await server.psql('SELECT count(*) FROM pg_hba_file_rules WHERE auth_method = $$trust$$')).toBe(
      '0',
    );
  });
});
