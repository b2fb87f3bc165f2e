CREATE TABLE rooms (
    id    bigint PRIMARY KEY,
    name  text NOT NULL UNIQUE,
    state text NOT NULL DEFAULT 'open'
);

CREATE TABLE guests (
    id      bigint PRIMARY KEY,
    balance bigint NOT NULL DEFAULT 0
);

CREATE TABLE bookings (
    id       bigint PRIMARY KEY,
    room_id  bigint NOT NULL REFERENCES rooms (id),
    guest_id bigint NOT NULL REFERENCES guests (id),
    night    date NOT NULL,
    state    text NOT NULL DEFAULT 'held',
    UNIQUE (room_id, night)
);
