import { DatabaseSync } from '@photostructure/sqlite';

/** Removes a table of an inbox that is open, so that whoever reads it next fails. @param file of the database */
export function dropTable(file: string, table: string): void {
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA foreign_keys = OFF; PRAGMA busy_timeout = 5000; DROP TABLE ${table}`);
  database.close();
}
