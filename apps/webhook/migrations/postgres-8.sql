-- An act has its whole state in its row: which deliveries it changes (`filter`, a JSON object), to how many it applied when
-- it began (`selected`), how many it has changed, behind which id it goes on (`next`), and who carries it out. `handled` and
-- `failed` count what became of those that have left it, to a later act or by the retention. Acts begin anew, and receivers
-- of version 7 that run meanwhile go on, but for the acts of their operators.
SET LOCAL search_path = plant_store;
-- A cycle has a row of `receiver` first, so none is under way when the others are locked, whatever its order.
LOCK TABLE receiver IN EXCLUSIVE MODE;
LOCK TABLE act, delivery IN ACCESS EXCLUSIVE MODE;

DELETE FROM act;
ALTER TABLE act RENAME COLUMN filters TO filter;
ALTER TABLE act
  ALTER COLUMN changed SET DEFAULT 0,
  ADD COLUMN selected bigint NOT NULL DEFAULT 0,
  ADD COLUMN handled bigint NOT NULL DEFAULT 0,
  ADD COLUMN failed bigint NOT NULL DEFAULT 0,
  ADD COLUMN next bigint NOT NULL DEFAULT 0,
  ADD COLUMN receiver text,
  ADD COLUMN ended_at bigint;
CREATE INDEX act_open ON act (changed, id) WHERE ended_at IS NULL;

ALTER TABLE delivery DROP COLUMN earlier_acts;
