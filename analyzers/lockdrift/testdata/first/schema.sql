CREATE TABLE seats (id bigint PRIMARY KEY, state text NOT NULL);
CREATE FUNCTION take_seat(seat bigint, to_state text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM 1 FROM seats WHERE id = seat FOR UPDATE;
	UPDATE seats SET state = to_state WHERE id = seat;
END $$;
