-- What operators do is an `act`. A delivery knows the last one, and those before it: their ids, the oldest first, separated
-- by commas. `filters` is a JSON array. A discarded delivery keeps the size of its content. Receivers of version 5 that run
-- meanwhile go on: what their operators do is no act.
SET LOCAL search_path = plant_store;

CREATE TABLE act (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  kind text NOT NULL,
  at bigint NOT NULL,
  operator text,
  source text,
  reason text,
  filters text NOT NULL,
  changed bigint NOT NULL
);

ALTER TABLE delivery
  ADD COLUMN act bigint,
  ADD COLUMN earlier_acts text,
  ADD COLUMN discarded_bytes bigint;
CREATE INDEX delivery_by_act ON delivery (act, state, attempts) WHERE act IS NOT NULL;
