-- An act has its whole state in its row: which deliveries it changes (`filter`, a JSON object), to how many it applied when
-- it began (`selected`), how many it has changed, behind which id it goes on (`next`), and who carries it out. `handled` and
-- `failed` count what became of those that have left it, to a later act or by the retention. Acts begin anew.
DELETE FROM act;
ALTER TABLE act RENAME COLUMN filters TO filter;
ALTER TABLE act DROP COLUMN changed;
ALTER TABLE act ADD COLUMN selected INTEGER NOT NULL DEFAULT 0;
ALTER TABLE act ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE act ADD COLUMN handled INTEGER NOT NULL DEFAULT 0;
ALTER TABLE act ADD COLUMN failed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE act ADD COLUMN next INTEGER NOT NULL DEFAULT 0;
ALTER TABLE act ADD COLUMN receiver TEXT;
ALTER TABLE act ADD COLUMN ended_at INTEGER;
CREATE INDEX act_open ON act (changed, id) WHERE ended_at IS NULL;

ALTER TABLE delivery DROP COLUMN earlier_acts;
