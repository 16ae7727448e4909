import type Database from 'libsql';

/** Runs writes in one transaction: durable on return, undone if it throws. */
type Transaction = <Result>(write: () => Result) => Result;

export function prepareTransaction(database: Database.Database): Transaction {
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const rollback = database.prepare('ROLLBACK');
  return (write) => {
    begin.run();
    try {
      const result = write();
      commit.run();
      return result;
    } catch (error) {
      if (database.inTransaction) rollback.run();
      throw error;
    }
  };
}
