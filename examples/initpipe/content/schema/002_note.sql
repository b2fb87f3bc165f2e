CREATE TABLE note (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    course text NOT NULL REFERENCES course,
    body text NOT NULL,
    UNIQUE (course, body)
);
